import { matchesSelector } from "../api/selectors.ts";
import { timeText, type KubeObject } from "../cluster/kube-object.ts";
import { findField } from "../cluster/own-fields.ts";
import type { ClusterState } from "../cluster/cluster-state.ts";
import { keyOf, type Controller } from "./controller.ts";
import { isNodeReady } from "./nodes.ts";
import { podsOf, requested, type NodeLoad } from "./pod-index.ts";
import { parseQuantity } from "./quantity.ts";

/** The key that represents all waiting pods. It is queued only once, regardless of how many pods were deleted. */
const allWaiting = "/";

/** Assigns pods to ready nodes that match their selectors and tolerations and have enough capacity. */
export const scheduler: Controller = {
  name: "scheduler",
  *keysOf({ resource, type, object }) {
    if (resource === "pods" && type !== "DELETED" && isWaiting(object)) yield keyOf(object);
    // A changed node or a deleted pod may have freed capacity.
    if (resource === "nodes" || (resource === "pods" && type === "DELETED")) yield allWaiting;
  },
  reconcile(scope, namespace, name) {
    const { state, clock } = scope.cluster;
    if (name === "") {
      for (const each of state.list("pods").filter(isWaiting)) scope.again(keyOf(each));
      return;
    }
    const pod = state.find("pods", namespace, name);
    if (pod === undefined || !isWaiting(pod)) return;
    const now = timeText(clock.now());
    const others = (pod.status?.conditions ?? []).filter((one: any) => one.type !== "PodScheduled");
    const { node, why } = chooseNode(state, pod);
    if (node === undefined) {
      const known = (pod.status?.conditions ?? []).find((one: any) => one.type === "PodScheduled");
      if (known?.message === why) return;
      const condition = {
        type: "PodScheduled",
        status: "False",
        reason: "Unschedulable",
        message: why,
        lastProbeTime: null,
        lastTransitionTime: now,
      };
      state.put("pods", { ...pod, status: { ...pod.status, conditions: [...others, condition] } });
      scope.event(pod, "Warning", "FailedScheduling", why, "default-scheduler");
      return;
    }
    const condition = { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: now };
    const spec = { ...pod.spec, nodeName: node.metadata.name };
    state.put("pods", { ...pod, spec, status: { ...pod.status, conditions: [...others, condition] } });
    scope.event(
      pod,
      "Normal",
      "Scheduled",
      `Successfully assigned ${namespace}/${name} to ${node.metadata.name}`,
      "default-scheduler",
    );
  },
};

function isWaiting({ spec, metadata, status }: KubeObject): boolean {
  return (
    spec?.nodeName === undefined &&
    metadata.deletionTimestamp === undefined &&
    !["Succeeded", "Failed"].includes(status?.phase) &&
    !spec?.schedulingGates?.length
  );
}

function chooseNode(state: ClusterState, pod: KubeObject): { node: KubeObject | undefined; why: string } {
  const all = state.list("nodes");
  const { loadOf } = podsOf(state);
  const reasons = new Map<string, number>();
  const fitting = all.filter((node) => {
    const why = obstacle(pod, node, loadOf(node.metadata.name));
    if (why !== undefined) reasons.set(why, (reasons.get(why) ?? 0) + 1);
    return why === undefined;
  });
  const least = (node: KubeObject): number => loadOf(node.metadata.name).pods;
  const [best] = fitting.toSorted((left, right) => least(left) - least(right));
  const list = [...reasons].map(([why, times]) => `${times} ${why}`).join(", ");
  return {
    node: best,
    why: all.length === 0 ? "no nodes available to schedule pods" : `0/${all.length} nodes are available: ${list}.`,
  };
}

function obstacle(pod: KubeObject, node: KubeObject, load: NodeLoad): string | undefined {
  if (!isOfferedTo(pod.spec, node)) return "node(s) didn't match Pod's node affinity/selector";
  const taint = untolerated(pod.spec, node);
  if (taint !== undefined) return taint;
  if (
    node.spec?.unschedulable === true &&
    !tolerates(pod.spec, { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" })
  )
    return "node(s) were unschedulable";
  const room = node.status?.allocatable ?? {};
  if (room.pods !== undefined && load.pods + 1 > parseQuantity(room.pods)) return "Too many pods";
  if (room.cpu !== undefined && load.cpu + requested(pod.spec, "cpu") > parseQuantity(room.cpu) + 1e-9) return "Insufficient cpu";
  if (room.memory !== undefined && load.memory + requested(pod.spec, "memory") > parseQuantity(room.memory) + 1e-9)
    return "Insufficient memory";
  return undefined;
}

/** Returns whether a pod's node selector and required affinity match a node. */
export function isOfferedTo(spec: any, node: KubeObject): boolean {
  const labels = node.metadata.labels ?? {};
  const wanted = Object.entries((spec.nodeSelector ?? {}) as Record<string, string>);
  if (!wanted.every(([key, value]) => findField(labels, key) === value)) return false;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms as
    | any[]
    | undefined;
  if (terms === undefined) return true;
  return terms.some(
    (term) =>
      matchesSelector({ matchExpressions: term.matchExpressions ?? [] }, labels) &&
      matchesSelector({ matchExpressions: term.matchFields ?? [] }, { "metadata.name": node.metadata.name }),
  );
}

/** Returns the taint of a node that a pod does not tolerate, if there is one. */
export function untolerated(spec: any, node: KubeObject): string | undefined {
  const taints = (node.spec?.taints ?? []) as { key: string; value?: string; effect: string }[];
  const taint = taints.find((one) => one.effect !== "PreferNoSchedule" && !tolerates(spec, one));
  if (taint !== undefined) return `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`;
  return isNodeReady(node) || tolerates(spec, { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" })
    ? undefined
    : "node(s) were not ready";
}

function tolerates(spec: any, taint: { key: string; value?: string; effect: string }): boolean {
  return ((spec.tolerations ?? []) as any[]).some((one) => {
    const isEffect = one.effect === undefined || one.effect === "" || one.effect === taint.effect;
    const isKey = one.key === undefined || one.key === "" ? one.operator === "Exists" : one.key === taint.key;
    return isEffect && isKey && (one.operator === "Exists" || (one.value ?? "") === (taint.value ?? ""));
  });
}
