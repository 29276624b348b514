import { matchesSelector } from "../api/selectors.ts";
import { keyOf, type Controller } from "./controller.ts";
import { isActive, isPodReady } from "./owned-pods.ts";

/** Computes how many pods of a PodDisruptionBudget may be evicted now. */
export const disruptionBudgets: Controller = {
  name: "disruption-budgets",
  *keysOf({ resource, object }, { state }) {
    if (resource === "poddisruptionbudgets.policy") yield keyOf(object);
    if (resource !== "pods") return;
    for (const budget of state.list("poddisruptionbudgets.policy", object.metadata.namespace)) {
      if (matchesSelector(budget.spec?.selector, object.metadata.labels)) yield keyOf(budget);
    }
  },
  reconcile({ cluster }, namespace, name) {
    const { state } = cluster;
    const budget = state.find("poddisruptionbudgets.policy", namespace, name);
    if (budget === undefined) return;
    const pods = state
      .list("pods", namespace)
      .filter((pod) => isActive(pod) && matchesSelector(budget.spec?.selector, pod.metadata.labels));
    const healthy = pods.filter(isPodReady).length;
    const amount = (value: unknown): number =>
      typeof value === "number" ? value : Math.ceil((pods.length * parseInt(String(value), 10)) / 100);
    const { minAvailable, maxUnavailable } = budget.spec ?? {};
    const desiredHealthy = minAvailable === undefined ? pods.length - amount(maxUnavailable ?? 0) : amount(minAvailable);
    const status = {
      observedGeneration: budget.metadata.generation,
      currentHealthy: healthy,
      desiredHealthy: Math.max(0, desiredHealthy),
      disruptionsAllowed: Math.max(0, healthy - desiredHealthy),
      expectedPods: pods.length,
    };
    state.put("poddisruptionbudgets.policy", { ...budget, status });
  },
};
