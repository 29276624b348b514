import type { Json, JsonObject, NewOperation, TaskTypeName } from "@cloudwright/contract";
import type { Lane } from "@cloudwright/tasks";
import type { OperationStatus, ScopeOperation } from "./scope.ts";

/** Everything that the engine writes after a pass, in one transaction. */
export interface Decision {
  /** The new status of the entity. */
  readonly status: JsonObject;
  /** An operation that the platform itself opens. */
  readonly opens?: Pick<NewOperation, "uid" | "verb" | "force" | "message">;
  readonly operations: readonly {
    readonly operation: ScopeOperation;
    readonly status: OperationStatus;
    readonly fingerprint?: string;
  }[];
  readonly tasks: readonly TaskWish[];
  /** Tasks to withdraw: no agent has started them, and they are no longer needed. */
  readonly takeBack: readonly string[];
  /** Whether the entity is removed. */
  readonly remove: boolean;
  readonly event?: { readonly type: "Normal" | "Warning"; readonly reason: string; readonly message: string };
  /** The change to the drift report. */
  readonly drift?: DriftWish;
  /** When the next pass happens without a wake-up. */
  readonly recheckAfterMs: number;
  /** Whether children and parents are woken, because they depend on this status. */
  readonly wakeAround: boolean;
}

/** Opens, changes or ends a drift report. */
export type DriftWish =
  | ({ readonly do: "open"; readonly uid: string; readonly taskUid: string } & DriftFound)
  | ({ readonly do: "change"; readonly uid: string } & DriftFound)
  | { readonly do: "end"; readonly uid: string; readonly as: "corrected" | "gone" };

/** The drift that was found. */
export interface DriftFound {
  readonly items: readonly Json[];
  readonly ignored: number;
}

/** A task to enqueue. */
export interface TaskWish {
  readonly type: TaskTypeName;
  readonly lane: Lane;
  readonly operationUid: string | null;
  readonly retries: number;
  readonly fingerprint: string;
  /** The task before it, if the same inputs may run again. */
  readonly after: string | null;
  /** Number of times the operation has planned with these inputs. For plans and applies only. */
  readonly round?: number;
  /** The plan that the task applies. */
  readonly plan?: string;
  /** The proposed spec, in previews and preflights. */
  readonly candidate?: JsonObject;
  /** An entity that does not exist yet and would be built on this one. A node pool would be part of it. */
  readonly newcomer?: { readonly kind: string; readonly uid: string; readonly name: string; readonly environment: string };
}
