import type { FaultRetry } from "@cloudwright/platform";
import type { Placement } from "./placement.ts";

/** Long and short tasks have separate slots, so that they do not block each other. */
export const lanes = ["long", "short"] as const;
export type Lane = (typeof lanes)[number];

/** A `waiting` task is queued behind another task of its entity. A `ready` task can be leased. All states after `leased` are final. */
export const taskStates = ["waiting", "ready", "leased", "done", "failed", "cancelled"] as const;
export type TaskState = (typeof taskStates)[number];

/** A task as agents receive it. The payload contains everything except secrets. */
export interface Task {
  readonly uid: string;
  readonly project: string;
  readonly entityUid: string;
  readonly entityKind: string;
  readonly entityName: string;
  readonly operationUid: string | null;
  /** The account whose concurrency limit applies. Each account belongs to one project. */
  readonly accountUid: string | null;
  /** For example `network.apply`. */
  readonly type: string;
  readonly lane: Lane;
  readonly placement: Placement;
  /** Within a project, tasks with a higher priority are leased first. */
  readonly priority: number;
  readonly payload: unknown;
  readonly payloadVersion: number;
  readonly maxAttempts: number;
}

/** A task to enqueue. A second task with the same key is ignored. */
export interface TaskInsert extends Task {
  readonly key: string;
}

/** A task that an agent holds. Only the holder of the lease token can renew the lease or end the attempt. */
export interface LeasedTask extends Task {
  /** Counts from 1. */
  readonly attempt: number;
  readonly leaseToken: string;
  /** Expiry time by the database's clock. */
  readonly leaseExpiresAt: string;
}

/** How an attempt ended. `returned` hands the task back, and the attempt does not count. */
export type TaskOutcome =
  | { readonly state: "done"; readonly message?: string; readonly result?: unknown }
  | { readonly state: "failed"; readonly fault: TaskFault; readonly result?: unknown }
  | { readonly state: "cancelled" | "returned"; readonly message?: string; readonly result?: unknown };

/** Why an attempt failed. `retry` says whether another attempt may succeed. */
export interface TaskFault {
  readonly code: string;
  readonly message: string;
  readonly retry: FaultRetry;
  /** What the user can do about the failure. */
  readonly help?: string;
  readonly retryAfterMs?: number;
}
