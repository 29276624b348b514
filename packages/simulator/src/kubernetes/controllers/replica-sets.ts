import type { KubeObject } from "../cluster/kube-object.ts";
import { keyOf, mostPerStep, type Controller } from "./controller.ts";
import { deletePod, isActive, isPodReady, listOwnedPods, makePod, ownerKey } from "./owned-pods.ts";

/** Keeps a ReplicaSet at its desired number of pods. */
export const replicaSets: Controller = {
  name: "replicasets",
  *keysOf({ resource, object }) {
    if (resource === "replicasets.apps") yield keyOf(object);
    if (resource === "pods") {
      const key = ownerKey(object, "ReplicaSet");
      if (key !== undefined) yield key;
    }
  },
  reconcile(scope, namespace, name) {
    const { state } = scope.cluster;
    const set = state.find("replicasets.apps", namespace, name);
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
    const pods = listOwnedPods(scope.cluster, set).filter(isActive);
    const missing = set.spec.replicas - pods.length;
    for (let index = 0; index < Math.min(missing, mostPerStep); index++) makePod(scope, set);
    // Deletes pods that are not ready first, then the youngest ones.
    const surplus = missing >= 0 ? [] : pods.toSorted(byDispensability);
    for (const pod of surplus.slice(0, Math.min(-missing, mostPerStep))) deletePod(scope, set, pod);
    if (Math.abs(missing) > mostPerStep) scope.again(`${namespace}/${name}`);
    const left = listOwnedPods(scope.cluster, set).filter(isActive);
    const ready = left.filter(isPodReady).length;
    const status = {
      replicas: left.length,
      fullyLabeledReplicas: left.length,
      ...(ready > 0 && { readyReplicas: ready, availableReplicas: ready }),
      observedGeneration: set.metadata.generation,
    };
    const current = state.find("replicasets.apps", namespace, name);
    if (current !== undefined) state.put("replicasets.apps", { ...current, status });
  },
};

function byDispensability(left: KubeObject, right: KubeObject): number {
  const order = Number(isPodReady(left)) - Number(isPodReady(right));
  if (order !== 0) return order;
  return left.metadata.uid < right.metadata.uid ? 1 : -1;
}
