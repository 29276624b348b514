import type { GateStage, Json, JsonObject, NewOperation, TaskTypeName } from "@cloudwright/contract";
import type { Lane } from "@cloudwright/tasks";
import type { OperationStatus, ScopeOperation } from "./scope.ts";

/** Everything that one pass writes, in a single transaction. */
export interface Decision {
  readonly status: JsonObject;
  /** An operation that the platform opens on its own. */
  readonly opens?: Pick<NewOperation, "uid" | "verb" | "force" | "message">;
  readonly operations: readonly {
    readonly operation: ScopeOperation;
    readonly status: OperationStatus;
    readonly fingerprint?: string;
  }[];
  readonly tasks: readonly TaskWish[];
  /** Uids of tasks to withdraw: no agent has started them, and they are no longer needed. */
  readonly takeBack: readonly string[];
  /** Whether to remove the entity from the database. */
  readonly remove: boolean;
  readonly event?: { readonly type: "Normal" | "Warning"; readonly reason: string; readonly message: string };
  readonly drift?: DriftWish;
  readonly forgotten?: ForgottenWish;
  /** Time until the next pass, unless the entity is woken earlier. */
  readonly recheckAfterMs: number;
  /** Whether to wake the entity's children and owner, because they depend on its status. */
  readonly wakeAround: boolean;
}

/** Deletes records of forgotten resources, because the resources were adopted again or the request to forget them failed. */
export type ForgottenWish =
  | { readonly do: "adopted"; readonly type?: string; readonly id: string }
  | { readonly do: "undo"; readonly operationUid: string };

/** Opens, updates or closes a drift report. */
export type DriftWish =
  | ({ readonly do: "open"; readonly uid: string; readonly taskUid: string } & DriftFound)
  | ({ readonly do: "change"; readonly uid: string } & DriftFound)
  | { readonly do: "end"; readonly uid: string; readonly as: "corrected" | "kept" | "gone" };

/** The drift that a check found. */
export interface DriftFound {
  readonly items: readonly Json[];
  readonly ignored: number;
}

export interface TaskWish {
  readonly type: TaskTypeName;
  readonly lane: Lane;
  readonly operationUid: string | null;
  readonly retries: number;
  readonly fingerprint: string;
  /** Uid of the preceding task. Setting it allows a task with the same inputs to run again. */
  readonly after: string | null;
  /** Number of times the operation has planned with these inputs. Set for plans and applies only. */
  readonly round?: number;
  /** Uid of the plan that the task applies. */
  readonly plan?: string;
  /** The upgrade gates to run. */
  readonly gates?: { readonly stage: GateStage; readonly skip: readonly string[] };
  /** The proposed spec. Set for previews and preflights only. */
  readonly candidate?: JsonObject;
  /** True for the preview of a deletion. */
  readonly deletion?: boolean;
  /** Name of the part to leave out, for a preview of that part's deletion. */
  readonly withoutPart?: string;
  /**
   * A proposed entity that does not exist yet. The current entity becomes its parent. A proposed node pool becomes a part of the current
   * entity.
   */
  readonly newcomer?: { readonly kind: string; readonly uid: string; readonly name: string; readonly environment: string };
  /** The resource to adopt or forget. */
  readonly repair?: { readonly address: string; readonly id: string; readonly dryRun: boolean };
  /** The region that a discovery searches. Empty means all regions. */
  readonly region?: string;
  /** What to do with the images of a machine. */
  readonly imageWork?: JsonObject;
}
