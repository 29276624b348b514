import type { FaultRetry } from "@cloudwright/platform";
import type { Placement } from "./placement.ts";

/** Long and short tasks have separate slots, so that neither waits for the other. */
export const lanes = ["long", "short"] as const;
export type Lane = (typeof lanes)[number];

/** `waiting` behind another task of its entity, `ready` to be leased, or `leased`. The other states are final. */
export const taskStates = ["waiting", "ready", "leased", "done", "failed", "cancelled"] as const;
export type TaskState = (typeof taskStates)[number];

/** A task as agents receive it. The payload is complete except for secrets. */
export interface Task {
  readonly uid: string;
  readonly project: string;
  readonly entityUid: string;
  readonly entityKind: string;
  readonly entityName: string;
  readonly operationUid: string | null;
  /** The account whose budget it uses. An account belongs to one project. */
  readonly accountUid: string | null;
  /** For example `network.apply`. */
  readonly type: string;
  readonly lane: Lane;
  readonly placement: Placement;
  /** A higher priority is leased first within a project. */
  readonly priority: number;
  readonly payload: unknown;
  readonly payloadVersion: number;
  readonly maxAttempts: number;
}

/** A task to enqueue. Of equal keys only the first is ever enqueued. */
export interface TaskInsert extends Task {
  readonly key: string;
}

/** A task that an agent holds. Only the holder of the token can renew the lease or end the attempt. */
export interface LeasedTask extends Task {
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly leaseToken: string;
  /** By the database's clock. */
  readonly leaseExpiresAt: string;
}

/** How an attempt ended. `returned` hands the task back unchanged, and does not count as an attempt. */
export type TaskOutcome =
  | { readonly state: "done"; readonly message?: string; readonly result?: unknown }
  | { readonly state: "failed"; readonly fault: TaskFault; readonly result?: unknown }
  | { readonly state: "cancelled" | "returned"; readonly message?: string; readonly result?: unknown };

/** Why an attempt failed. `retry` says whether another attempt can succeed. */
export interface TaskFault {
  readonly code: string;
  readonly message: string;
  readonly retry: FaultRetry;
  /** What the reader can do. */
  readonly help?: string;
  readonly retryAfterMs?: number;
}
