import type { KubeObject } from "../cluster/kube-object.ts";
import { keyOf, type Controller } from "./controller.ts";
import { deletePod, isActive, isPodReady, listOwnedPods, makePod, ownerKey, templateHash } from "./owned-pods.ts";
import { isOfferedTo, untolerated } from "./scheduler.ts";

const hashLabel = "controller-revision-hash";

/** Runs one pod of a DaemonSet on every eligible node. */
export const daemonSets: Controller = {
  name: "daemonsets",
  *keysOf({ resource, object }, { state }) {
    if (resource === "daemonsets.apps") yield keyOf(object);
    if (resource === "nodes") for (const set of state.list("daemonsets.apps")) yield keyOf(set);
    if (resource === "pods") {
      const key = ownerKey(object, "DaemonSet");
      if (key !== undefined) yield key;
    }
  },
  reconcile(scope, namespace, name) {
    const { state } = scope.cluster;
    const set = state.find("daemonsets.apps", namespace, name);
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return;
    const hash = templateHash(set.spec.template);
    const nodes = state.list("nodes").filter((node) => mayHave(set, node));
    const pods = listOwnedPods(scope.cluster, set).filter(isActive);
    for (const node of nodes) {
      const [own, ...surplus] = pods.filter((pod) => pod.spec.nodeName === node.metadata.name);
      for (const pod of surplus) deletePod(scope, set, pod);
      if (own === undefined) {
        const spec = {
          nodeName: node.metadata.name,
          tolerations: [...(set.spec.template.spec.tolerations ?? []), ...everywhere],
        };
        makePod(scope, set, { labels: { [hashLabel]: hash }, spec });
      }
    }
    for (const pod of pods) if (!nodes.some((node) => node.metadata.name === pod.spec.nodeName)) deletePod(scope, set, pod);
    // After a template change, pods are replaced one at a time.
    const stale = pods.filter((pod) => pod.metadata.labels?.[hashLabel] !== hash);
    const [next] = stale;
    if (next !== undefined && set.spec.updateStrategy.type === "RollingUpdate" && pods.filter(isPodReady).length === nodes.length)
      deletePod(scope, set, next);

    const left = listOwnedPods(scope.cluster, set).filter(isActive);
    const ready = left.filter(isPodReady).length;
    const status = {
      currentNumberScheduled: left.length,
      desiredNumberScheduled: nodes.length,
      numberMisscheduled: 0,
      numberReady: ready,
      updatedNumberScheduled: left.filter((pod) => pod.metadata.labels?.[hashLabel] === hash).length,
      numberAvailable: ready,
      ...(nodes.length > ready && { numberUnavailable: nodes.length - ready }),
      observedGeneration: set.metadata.generation,
    };
    const current = state.find("daemonsets.apps", namespace, name);
    if (current !== undefined) state.put("daemonsets.apps", { ...current, status });
  },
};

// Daemon pods tolerate most node conditions that exclude other pods, but they need a ready node.
const everywhere = ["disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"].map((what) => ({
  key: `node.kubernetes.io/${what}`,
  operator: "Exists",
  effect: "NoSchedule",
}));

function mayHave(set: KubeObject, node: KubeObject): boolean {
  const spec = { ...set.spec.template.spec, tolerations: [...(set.spec.template.spec.tolerations ?? []), ...everywhere] };
  return isOfferedTo(spec, node) && untolerated(spec, node) === undefined;
}
