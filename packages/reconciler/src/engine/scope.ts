import type { EntityJson, Json, JsonObject, TaskTypeName } from "@cloudwright/contract";
import type { AgentAbility, Placement, TaskOutcome, TaskState } from "@cloudwright/tasks";

/** Everything that one pass knows about an entity. The scope is read once, and every step is a function of the scope. */
export interface Scope {
  readonly nowMs: number;
  readonly entity: ScopeEntity;
  /** The owner, the owner's owner and so on. The last one is the account. */
  readonly above: readonly Ancestor[];
  /** Entities that the spec references, other than the owner, in the order in which the spec lists them. */
  readonly links: readonly Linked[];
  /** Says what is paused: the entity, its project or the whole platform. Empty if nothing is paused. No work may start during a pause. */
  readonly pausedBy: string;
  readonly windows: readonly MaintenanceWindow[];
  /** Number of entities that are owned by or link to this one, with some of their names. Read only during deletion. */
  readonly referrers: { readonly count: number; readonly some: readonly string[]; readonly failed: readonly FailedReferrer[] };
  /** Parts that the entity's runs build, such as a cluster's node pools. Excludes parts that are being deleted. */
  readonly parts: readonly Part[];
  readonly operation: ScopeOperation | undefined;
  /** Older operations that are still open. */
  readonly olderOperations: readonly ScopeOperation[];
  /** Open previews, preflights and requested drift checks, oldest first. They never change the entity. */
  readonly previews: readonly ScopeOperation[];
  /** Open operations that adopt or forget one resource, oldest first. No run for the entity starts while one of them is open. */
  readonly repairs: readonly ScopeOperation[];
  /** All open tasks, plus the newest task and the newest successful task of each type, oldest first. */
  readonly tasks: readonly ScopeTask[];
  /** Whether an agent has ever started to build infrastructure for the entity. */
  readonly begun: boolean;
  /** The entity's newest plan. Undefined if no plan was stored or no operation is open. */
  readonly plan: ScopePlan | undefined;
  readonly drift: ScopeDrift | undefined;
  /** Resources that users told the platform to forget. Read only during deletion. */
  readonly forgotten: readonly { readonly type: string; readonly id: string; readonly address: string }[];
  /** Recently seen agents. Undefined unless a task has been ready for a while. */
  readonly agents: readonly AgentAbility[] | undefined;
}

/** An entity that could not be deleted and is owned by or links to this one. */
export interface FailedReferrer {
  readonly kind: string;
  readonly name: string;
  readonly message: string;
  readonly operation: string;
}

/** An entity as it was read. A write succeeds only if `version` is unchanged. */
export interface ScopeEntity {
  readonly uid: string;
  readonly kind: string;
  readonly project: string;
  readonly name: string;
  readonly parentUid: string | null;
  readonly environment: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly version: string;
  readonly object: EntityJson;
}

/** A direct or indirect owner. */
export interface Ancestor {
  readonly uid: string;
  readonly kind: string;
  readonly object: EntityJson;
  /** Outputs of the last successful run. Null before the first one. */
  readonly outputs: JsonObject | null;
  /** Recent runs of an owner that builds the entity as a part, newest first. Empty if the entity has its own runs. */
  readonly runs: readonly OwnerRun[];
}

/** An entity that another entity's spec references. */
export interface Linked extends Omit<Ancestor, "runs"> {
  /** Path of the field relative to `spec`. */
  readonly field: string;
}

/** An owner's run and the parts that it builds. */
export interface OwnerRun {
  readonly uid: string;
  readonly state: TaskState;
  readonly attempt: number;
  /**
   * Whether an agent ever started the run. `attempt` does not count an attempt that was handed back, although that attempt may have built
   * something.
   */
  readonly started: boolean;
  readonly outcome: TaskOutcome | null;
  readonly progress: TaskProgress | null;
  /** True for an apply. False for a preflight or plan, which builds nothing. */
  readonly built: boolean;
  /** True for a plan, whether it failed or was stored. */
  readonly planned: boolean;
  /** Number of times the operation has planned, including this plan. Null for tasks without a plan. */
  readonly round: number | null;
  readonly plan?: ScopePlan;
  /** Outcome of the attempt that took the plan. Set only for the newest apply that failed because its plan could no longer be applied. */
  readonly formerOutcome?: TaskOutcome;
  readonly parts: readonly PartMark[];
}

/** Identifies the version of a part that a run builds. */
export interface PartMark {
  readonly uid: string;
  readonly generation: number;
  readonly retries: number;
}

/** An entity that its owner's runs build. */
export interface Part extends PartMark {
  readonly kind: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
}

export interface ScopeOperation {
  readonly uid: string;
  readonly version: string;
  readonly object: EntityJson & { spec: OperationSpec; status: OperationStatus };
  readonly environment: string;
  readonly parentUid: string | null;
}

/** The fields of an operation's spec that the reconciler reads. */
export interface OperationSpec extends JsonObject {
  verb: string;
  actor: string;
  force: boolean;
  retries: number;
  cancelReason: string;
  allow?: string[];
  candidate?: JsonObject;
  candidateName?: string;
  candidateKind?: string;
  discoverRegion?: string;
  imageWork?: JsonObject;
  deletion?: boolean;
  repair?: { address: string; id: string; dryRun: boolean };
  resumes?: number;
  skipGates?: string[];
}

/** The fields of an operation's status that the reconciler writes. */
export interface OperationStatus extends JsonObject {
  state: string;
}

/** The latest progress that an agent reported. */
export interface TaskProgress {
  readonly percent?: number;
  readonly message?: string;
  /** The outputs that are known so far. */
  readonly outputs?: JsonObject;
}

export interface ScopeTask {
  readonly uid: string;
  readonly type: TaskTypeName;
  readonly state: TaskState;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly operationUid: string | null;
  readonly fingerprint: string | null;
  readonly retries: number | null;
  readonly placement: Placement;
  readonly payloadVersion: number;
  readonly cancelReason: string;
  /** Number of times the operation has planned with these inputs, including this plan. Null except for plans and applies. */
  readonly round: number | null;
  /** Uid of the plan that the task applies. */
  readonly plan: string | null;
  readonly outcome: TaskOutcome | null;
  /** Outcome of the attempt that took the plan, or else of the previous attempt. Set only for failed applies and retried tasks. */
  readonly formerOutcome?: TaskOutcome;
  readonly progress: TaskProgress | null;
  readonly createdAtMs: number;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  /** Time of the next attempt. Null unless the task waits for a retry. */
  readonly delayedUntilMs: number | null;
}

/** A stored plan without its list of changes. Its uid is the uid of the plan task. */
export interface ScopePlan {
  readonly uid: string;
  readonly needsApproval: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly findings: readonly { readonly severity: string; readonly message: string; readonly path: string }[];
  readonly expiresAtMs: number;
  readonly approvedBy: string | null;
  readonly discardedBy: string | null;
  /** Uid of the apply task that claimed the plan. A plan can be claimed only once. */
  readonly takenBy: string | null;
  /** True if the Terraform state has not changed since the plan was made. */
  readonly isCurrent: boolean;
  /** The external changes that the plan found. Absent if there are none. */
  readonly drift?: readonly Json[] | null;
}

export interface ScopeDrift {
  readonly uid: string;
  /** Uid of the check that found the drift, or of the apply that kept it. */
  readonly taskUid?: string;
  /** True if an apply that kept the changes opened the report, false if a check did. */
  readonly isKept?: boolean;
  readonly foundAtMs: number;
  /** Null while the report is open. */
  readonly endedAtMs: number | null;
  /** Why the report was closed: the drift was accepted, corrected or kept, or had disappeared. */
  readonly endedAs?: string | null;
  readonly items: readonly Json[];
  readonly ignored: number;
}

/** A recurring window in which running entities may be changed. */
export interface MaintenanceWindow {
  readonly days: readonly string[];
  readonly start: string;
  readonly durationMinutes: number;
  readonly timeZone: string;
}
