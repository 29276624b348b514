import { createHash } from "node:crypto";
import { nameSuffix } from "../api/create.ts";
import { fillPodAdmission, qualityOf } from "../api/admit-built-in.ts";
import { matchesSelector } from "../api/selectors.ts";
import { markDeleted } from "../api/delete.ts";
import type { AwakeCluster } from "../cluster/awake-cluster.ts";
import { controllerOf, ownedBy, type KubeObject } from "../cluster/kube-object.ts";
import { makeObject } from "../cluster/make-object.ts";
import type { Scope } from "./controller.ts";

/** Returns an owner's pods. Pods without an owner that match its selector are adopted. */
export function listOwnedPods({ state }: AwakeCluster, owner: KubeObject): KubeObject[] {
  const pods = state.list("pods", owner.metadata.namespace);
  return pods.flatMap((pod) => {
    const controller = controllerOf(pod);
    if (controller !== undefined) return controller.uid === owner.metadata.uid ? [pod] : [];
    if (pod.metadata.deletionTimestamp !== undefined || owner.metadata.deletionTimestamp !== undefined) return [];
    if (owner.kind === "Job" || !matchesSelector(owner.spec.selector, pod.metadata.labels)) return [];
    const ownerReferences = [...(pod.metadata.ownerReferences ?? []), ownedBy(owner)];
    return [state.put("pods", { ...pod, metadata: { ...pod.metadata, ownerReferences } })];
  });
}

/** Creates a pod from an owner's template. */
export function makePod(
  scope: Scope,
  owner: KubeObject,
  change: { name?: string; labels?: Record<string, string>; spec?: object } = {},
): void {
  const template = owner.spec.template;
  const name = change.name ?? `${owner.metadata.name.slice(0, 57)}-${nameSuffix()}`;
  const { labels, annotations } = template.metadata ?? {};
  const spec = structuredClone({ ...template.spec, ...change.spec });
  spec.serviceAccountName ??= "default";
  spec.serviceAccount ??= spec.serviceAccountName;
  fillPodAdmission(spec);
  makeObject(scope.cluster, "pods", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: owner.metadata.namespace ?? "",
      generateName: `${owner.metadata.name}-`,
      labels: { ...labels, ...change.labels },
      ...(annotations !== undefined && { annotations }),
      ownerReferences: [ownedBy(owner)],
    },
    spec,
    status: { phase: "Pending", qosClass: qualityOf(spec) },
  });
  scope.event(owner, "Normal", "SuccessfulCreate", `Created pod: ${name}`, `${owner.kind.toLowerCase()}-controller`);
}

/** Deletes an owner's pod and records an event. */
export function deletePod(scope: Scope, owner: KubeObject, pod: KubeObject): void {
  if (pod.metadata.deletionTimestamp !== undefined) return;
  markDeleted(scope.cluster.state, "pods", pod, {}, scope.cluster.clock.now());
  scope.event(owner, "Normal", "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`, `${owner.kind.toLowerCase()}-controller`);
}

/** Returns whether a pod is running and ready. */
export function isPodReady({ status }: KubeObject): boolean {
  return (status?.conditions ?? []).some((one: any) => one.type === "Ready" && one.status === "True");
}

/** Returns whether a pod is neither finished nor being deleted. */
export function isActive({ metadata, status }: KubeObject): boolean {
  return metadata.deletionTimestamp === undefined && !["Succeeded", "Failed"].includes(status?.phase);
}

/** Returns a short hash of a pod template. */
export function templateHash(template: unknown): string {
  const digest = createHash("sha256").update(JSON.stringify(template)).digest();
  const letters = "bcdfghjklmnpqrstvwxz2456789";
  return [...digest.subarray(0, 10)].map((byte) => letters[byte % letters.length]).join("");
}

/** Returns the key of a pod's owner, if the owner is of the given kind. */
export function ownerKey(pod: KubeObject, kind: string): string | undefined {
  const owner = controllerOf(pod);
  return owner?.kind === kind ? `${pod.metadata.namespace ?? ""}/${owner.name}` : undefined;
}
