import { keyOf, type Controller } from "./controller.ts";
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
    for (let index = 0; index < missing; index++) makePod(scope, set);
    // Deletes pods that are not ready first, then the youngest ones.
    const surplus = pods.toSorted(
      (left, right) =>
        Number(isPodReady(left)) - Number(isPodReady(right)) || right.metadata.uid.localeCompare(left.metadata.uid),
    );
    for (const pod of surplus.slice(0, Math.max(0, -missing))) deletePod(scope, set, pod);
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
