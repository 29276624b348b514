import { describeError, Fault, systemClock, type Clock } from "@cloudwright/platform";
import type { KubeClient } from "./create-client.ts";
import { kubeFaults } from "./faults.ts";
import type { KubeObject } from "./kube-object.ts";

export interface DrainOptions {
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** Called with a one-sentence progress message. */
  readonly tell?: (message: string) => void;
}

/** A pod that could not be evicted before the deadline. */
export interface RemainingPod {
  /** `namespace/name`. */
  readonly pod: string;
  /** The API's reason for rejecting the eviction, or a note that the pod is still terminating. */
  readonly reason: string;
}

const nodeKind = { apiVersion: "v1", kind: "Node" };
const podKind = { apiVersion: "v1", kind: "Pod" };
const pauseMs = 2000;

/**
 * Cordons the nodes with these labels, then evicts their pods as disruption budgets allow. Pods of DaemonSets, static pods and completed
 * pods are not evicted. Safe to repeat. Returns the pods that remain at the deadline. The nodes stay cordoned.
 */
export async function drainNodes(client: KubeClient, labels: string, options: DrainOptions): Promise<readonly RemainingPod[]> {
  const { deadlineMs, signal, clock = systemClock, tell = () => undefined } = options;
  const untilMs = clock.now() + deadlineMs;
  const nodes = (await client.list(nodeKind, { labels }, signal)).items.map(({ metadata }) => metadata.name);
  for (const name of nodes) await client.patch({ ...nodeKind, name }, { spec: { unschedulable: true } }, signal);
  for (;;) {
    const remaining = await evictOnce(client, nodes, signal);
    if (remaining.length === 0) return [];
    const [first] = remaining;
    tell(`waiting for ${remaining.length} pods to leave ${nodes.length} nodes: ${first?.pod}: ${first?.reason}`);
    if (clock.now() + pauseMs > untilMs) return remaining;
    await clock.sleep(pauseMs, signal);
  }
}

/** Tries to evict each pod once. Returns the pods that are still on the nodes. */
async function evictOnce(
  client: KubeClient,
  nodes: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly RemainingPod[]> {
  const remaining: RemainingPod[] = [];
  for (const node of nodes) {
    const { items } = await client.list(podKind, { fields: `spec.nodeName=${node}` }, signal);
    for (const pod of items.filter(isEvictable)) {
      const { name, namespace = "default", deletionTimestamp } = pod.metadata;
      const blocked = deletionTimestamp === undefined ? await tryEvict(client, { name, namespace }, signal) : undefined;
      if (blocked !== "gone") remaining.push({ pod: `${namespace}/${name}`, reason: blocked ?? "still terminating" });
    }
  }
  return remaining;
}

/** Returns why the pod cannot be evicted now, `gone` if it does not exist, or undefined if its eviction has started. */
async function tryEvict(
  client: KubeClient,
  pod: { readonly namespace: string; readonly name: string },
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    return (await client.evict(pod, signal)) ? undefined : "gone";
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== kubeFaults.busy.code) throw error;
    return describeError(error);
  }
}

function isEvictable({ metadata, ...pod }: KubeObject): boolean {
  const { phase } = (pod["status"] ?? {}) as { readonly phase?: string };
  const isOfDaemonSet = (metadata.ownerReferences ?? []).some(
    ({ kind, controller }) => kind === "DaemonSet" && controller === true,
  );
  const isStatic = metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined;
  return !isOfDaemonSet && !isStatic && phase !== "Succeeded" && phase !== "Failed";
}
