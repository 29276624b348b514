import type { AwakeCluster } from "../cluster/awake-cluster.ts";
import type { WatchedChange } from "../cluster/cluster-state.ts";
import type { KubeObject } from "../cluster/kube-object.ts";
import type { CloudHooks } from "./cloud-hooks.ts";

/** Durations in a simulated cluster, already scaled to real time. */
export interface Pace {
  readonly nodeReadyMs: number;
  readonly podStartMs: number;
  readonly podStopMs: number;
  readonly jobMs: number;
  readonly retryMs: number;
}

/** The cluster, services and timers that a controller works with. */
export interface Scope {
  readonly cluster: AwakeCluster;
  readonly hooks: CloudHooks;
  readonly pace: Pace;
  /**
   * Returns true once `ms` have passed since the first call for this key. Until then, returns false. The key is queued again when the time
   * is up.
   */
  isDue(key: string, what: string, ms: number): boolean;
  /** Queues a key of this controller. A controller with a lot of work takes one step at a time and queues its key again after each step. */
  again(key: string): void;
  /**
   * Runs an asynchronous job outside the cluster, one job at a time per key. The key is queued again when the job completes or must be
   * retried.
   */
  doOutside(key: string, work: () => Promise<void>, failed: (error: unknown) => void): void;
  event(about: KubeObject, type: "Normal" | "Warning", reason: string, message: string, source: string): void;
}

/**
 * A controller maps changes to keys and reconciles one key at a time. It is level-triggered: it compares the actual state with the desired
 * state and takes one step. The resulting change queues the key again.
 */
export interface Controller {
  readonly name: string;
  keysOf(change: WatchedChange, cluster: AwakeCluster): Iterable<string>;
  reconcile(scope: Scope, namespace: string, name: string): void;
}

/** A controller changes at most this many objects in one step, so that requests are served in between. */
export const mostPerStep = 50;

/** Returns the key of an object: its namespace and name. */
export function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}
