import { isReady, refOf, waitForObject, type KubeObject, type KubeRef } from "@cloudwright/kube";
import type { AddOnStatus, Site } from "./add-on.ts";

const workloads = new Set(["Deployment", "DaemonSet", "StatefulSet"]);
const watched = new Set([...workloads, "CustomResourceDefinition", "APIService", "Job"]);

/**
 * Waits until all objects of an add-on are ready. Returns WAITING immediately if the add-on's workloads need a node and the cluster has
 * none.
 */
export async function awaitReady(
  { client, task, readyNodes }: Site,
  refs: readonly KubeRef[],
  deadlineMs: number,
): Promise<Pick<AddOnStatus, "phase" | "message">> {
  const needsNodes = refs.some(({ kind }) => workloads.has(kind));
  if (needsNodes && readyNodes === 0) return { phase: "WAITING", message: "the cluster has no nodes" };
  const look = (ref: KubeRef) => (object: KubeObject | undefined) =>
    object === undefined ? `${ref.kind} ${ref.name} does not exist` : isReady({ ...object, kind: ref.kind });
  for (const ref of refs.filter(({ kind }) => watched.has(kind))) {
    await waitForObject(client, ref, look(ref), { deadlineMs, signal: task.signal });
  }
  return { phase: "READY", message: "" };
}

export function refsOf(objects: readonly KubeObject[]): KubeRef[] {
  return objects.map(refOf);
}
