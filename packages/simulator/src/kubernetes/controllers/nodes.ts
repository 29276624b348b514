import { markDeleted } from "../api/delete.ts";
import { timeText, type KubeObject } from "../cluster/kube-object.ts";
import type { Controller } from "./controller.ts";

const notReady = "node.kubernetes.io/not-ready";

/** Makes new nodes ready after a delay, and removes the pods of deleted nodes. */
export const nodes: Controller = {
  name: "nodes",
  *keysOf({ resource, object, type }, { state }) {
    if (resource === "nodes") yield `/${object.metadata.name}`;
    const nodeName = object.spec?.nodeName;
    if (resource === "pods" && type === "ADDED" && nodeName !== undefined && state.find("nodes", "", nodeName) === undefined)
      yield `/${nodeName}`;
  },
  reconcile(scope, _, name) {
    const { state, clock } = scope.cluster;
    const node = state.find("nodes", "", name);
    if (node === undefined) {
      state.remove("csinodes.storage.k8s.io", "", name);
      for (const pod of state.list("pods").filter(({ spec }) => spec.nodeName === name)) {
        if (pod.metadata.deletionTimestamp === undefined || (pod.metadata.deletionGracePeriodSeconds ?? 0) > 0) {
          markDeleted(state, "pods", pod, { gracePeriodSeconds: 0 }, clock.now());
        }
      }
      return;
    }
    if (isNodeReady(node) || node.metadata.annotations?.["cloudwright.dev/simulated"] !== "true") return;
    if (!scope.isDue(`/${name}`, "ready", scope.pace.nodeReadyMs)) return;
    const lastTransitionTime = timeText(clock.now());
    const conditions = (node.status?.conditions ?? []).map((condition: any) =>
      condition.type === "Ready"
        ? {
            ...condition,
            status: "True",
            reason: "KubeletReady",
            message: "kubelet is posting ready status",
            lastTransitionTime,
            lastHeartbeatTime: lastTransitionTime,
          }
        : condition,
    );
    const { taints = [], ...spec } = node.spec ?? {};
    const left = taints.filter((taint: any) => taint.key !== notReady);
    state.put("nodes", {
      ...node,
      spec: left.length > 0 ? { ...spec, taints: left } : spec,
      status: { ...node.status, conditions },
    });
    scope.event(node, "Normal", "NodeReady", `Node ${name} status is now: NodeReady`, "kubelet");
  },
};

/** Returns whether a node is ready. */
export function isNodeReady(node: KubeObject): boolean {
  return (node.status?.conditions ?? []).some((one: any) => one.type === "Ready" && one.status === "True");
}
