import type { Json, JsonObject, NewOperation, TaskTypeName } from "@cloudwright/contract";
import type { Lane } from "@cloudwright/tasks";
import type { OperationStatus, ScopeOperation } from "./scope.ts";

/** Everything a pass asks the engine to write, in one transaction. */
export interface Decision {
  /** The entity's status as it should be. */
  readonly status: JsonObject;
  /** An operation that the platform opens by itself. */
  readonly opens?: Pick<NewOperation, "uid" | "verb" | "force" | "message">;
  readonly operations: readonly {
    readonly operation: ScopeOperation;
    readonly status: OperationStatus;
    readonly fingerprint?: string;
  }[];
  readonly tasks: readonly TaskWish[];
  /** Tasks that nobody has begun and nobody wants any more. */
  readonly takeBack: readonly string[];
  /** The entity goes. */
  readonly remove: boolean;
  readonly event?: { readonly type: "Normal" | "Warning"; readonly reason: string; readonly message: string };
  /** What becomes of the report of what others changed. */
  readonly drift?: DriftWish;
  /** When to look again though nobody wakes it. */
  readonly recheckAfterMs: number;
  /** Entities that should look at this one again: children, parent. */
  readonly wakeAround: boolean;
}

/** A report is opened, says something else than before, or ends. */
export type DriftWish =
  | ({ readonly do: "open"; readonly uid: string; readonly taskUid: string } & DriftFound)
  | ({ readonly do: "change"; readonly uid: string } & DriftFound)
  | { readonly do: "end"; readonly uid: string; readonly as: "corrected" | "gone" };

/** What a check found. */
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
  /** The task it comes after, where the same inputs may run once more. */
  readonly after: string | null;
  /** How often the operation has planned with these inputs; of plans and what applies them. */
  readonly round?: number;
  /** The plan that it applies. */
  readonly plan?: string;
  /** The spec that it is about, where that is not the entity's own. */
  readonly candidate?: JsonObject;
  /** What it is about, where that does not exist and would lie in the entity; a node pool would be part of it. */
  readonly newcomer?: { readonly kind: string; readonly uid: string; readonly name: string; readonly environment: string };
}
