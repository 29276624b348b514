import type { ClusterState } from "../cluster/cluster-state.ts";
import type { KubeObject } from "../cluster/kube-object.ts";
import { parseQuantity } from "./quantity.ts";

/** The number of pods on a node, and the resources that they request. */
export interface NodeLoad {
  readonly pods: number;
  readonly cpu: number;
  readonly memory: number;
}

/** The load of each node and the pod addresses in use. Both are updated whenever a pod changes. */
export interface PodIndex {
  loadOf(node: string): NodeLoad;
  isUsed(address: string): boolean;
}

const nothing: NodeLoad = { pods: 0, cpu: 0, memory: 0 };
const indexes = new WeakMap<ClusterState, PodIndex>();

/** Returns the index of a cluster. It is built on first use and maintained from then on. */
export function podsOf(state: ClusterState): PodIndex {
  const known = indexes.get(state);
  if (known !== undefined) return known;
  const loads = new Map<string, NodeLoad>();
  const addresses = new Map<string, number>();
  const count = (pod: KubeObject | undefined, times: 1 | -1): void => {
    const address = pod?.status?.podIP as string | undefined;
    if (address !== undefined) add(addresses, address, times);
    const node = pod?.spec?.nodeName as string | undefined;
    if (pod === undefined || node === undefined || ["Succeeded", "Failed"].includes(pod.status?.phase)) return;
    const load = loads.get(node) ?? nothing;
    const next = {
      pods: load.pods + times,
      cpu: load.cpu + times * requested(pod.spec, "cpu"),
      memory: load.memory + times * requested(pod.spec, "memory"),
    };
    // Starts again from zero, because sums of fractions are not exact.
    if (next.pods === 0) loads.delete(node);
    else loads.set(node, next);
  };
  state.follow(({ kept, before, after }) => {
    if (kept.key.resource !== "pods") return;
    count(before, -1);
    count(after, 1);
  });
  const index: PodIndex = { loadOf: (node) => loads.get(node) ?? nothing, isUsed: (address) => addresses.has(address) };
  indexes.set(state, index);
  return index;
}

/** Returns how much of a resource the containers of a pod request. */
export function requested(spec: any, what: string): number {
  return ((spec.containers ?? []) as any[]).reduce(
    (sum, { resources }) => sum + parseQuantity(resources?.requests?.[what] ?? resources?.limits?.[what]),
    0,
  );
}

function add(counts: Map<string, number>, key: string, amount: number): void {
  const sum = (counts.get(key) ?? 0) + amount;
  if (sum === 0) counts.delete(key);
  else counts.set(key, sum);
}
