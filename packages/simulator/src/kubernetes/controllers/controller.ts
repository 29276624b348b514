import type { AwakeCluster } from "../cluster/awake-cluster.ts";
import type { WatchedChange } from "../cluster/cluster-state.ts";
import type { KubeObject } from "../cluster/kube-object.ts";
import type { CloudHooks } from "./cloud-hooks.ts";

/** How long things take in a simulated cluster, already scaled. */
export interface Pace {
  readonly nodeReadyMs: number;
  readonly podStartMs: number;
  readonly podStopMs: number;
  readonly jobMs: number;
  readonly retryMs: number;
}

/** What a controller works with. */
export interface Scope {
  readonly cluster: AwakeCluster;
  readonly hooks: CloudHooks;
  readonly pace: Pace;
  /** False until `ms` have passed since this was first asked for the key; then the key comes again, and it is true. */
  isDue(key: string, what: string, ms: number): boolean;
  /** Does work outside the cluster once at a time per key; the key comes again when it is done or when it is time to try again. */
  doOutside(key: string, work: () => Promise<void>, failed: (error: unknown) => void): void;
  event(about: KubeObject, type: "Normal" | "Warning", reason: string, message: string, source: string): void;
}

/**
 * One controller: which keys a change concerns, and what to do for a key. Doing is level-triggered: it looks at what is and makes one
 * step towards what should be; the changes that it makes bring the key back.
 */
export interface Controller {
  readonly name: string;
  keysOf(change: WatchedChange, cluster: AwakeCluster): Iterable<string>;
  reconcile(scope: Scope, namespace: string, name: string): void;
}

/** The key of an object. */
export function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}
