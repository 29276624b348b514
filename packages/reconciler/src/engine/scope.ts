import type { EntityJson, Json, JsonObject, TaskTypeName } from "@cloudwright/contract";
import type { AgentAbility, Placement, TaskOutcome, TaskState } from "@cloudwright/tasks";

/** Everything that is known about an entity in one pass. It is read once, and steps are functions of it. */
export interface Scope {
  readonly nowMs: number;
  readonly entity: ScopeEntity;
  /** Its owner, the owner's owner and so on; the last one is the account. */
  readonly above: readonly Ancestor[];
  /** The entities that its spec names and that do not own it, in the order of the spec. */
  readonly links: readonly Linked[];
  /** Says what is paused: the entity, its project or the whole platform. Then no work may start. Empty if nothing is. */
  readonly pausedBy: string;
  readonly windows: readonly MaintenanceWindow[];
  /** How many entities belong or link to it, and the names of some. Counted only while it is being deleted. */
  readonly referrers: { readonly count: number; readonly some: readonly string[]; readonly failed: readonly FailedReferrer[] };
  /** The entities that its runs build, such as the node pools of a cluster; without those being deleted. */
  readonly parts: readonly Part[];
  /** The newest operation on the entity. */
  readonly operation: ScopeOperation | undefined;
  /** Older operations on the entity that have not ended. */
  readonly olderOperations: readonly ScopeOperation[];
  /** Previews and preflights that have not ended, oldest first. They change nothing. */
  readonly previews: readonly ScopeOperation[];
  /** The newest task of each type, the newest successful one of each type, and all that have not ended; oldest first. */
  readonly tasks: readonly ScopeTask[];
  /** Whether an agent ever started to build something for the entity. */
  readonly begun: boolean;
  /** The newest plan. It is read only while an operation is open; undefined if no plan was stored. */
  readonly plan: ScopePlan | undefined;
  /** The newest drift report. */
  readonly drift: ScopeDrift | undefined;
  /** Agents that were seen recently. They are read only if a task has waited for a while; undefined otherwise. */
  readonly agents: readonly AgentAbility[] | undefined;
}

/** An entity that belongs or links to this one and could not be deleted. */
export interface FailedReferrer {
  readonly kind: string;
  readonly name: string;
  readonly message: string;
  readonly operation: string;
}

/** An entity as it was read. A write succeeds only if the entity still has this version. */
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

/** An entity that owns another one, directly or not. */
export interface Ancestor {
  readonly uid: string;
  readonly kind: string;
  readonly object: EntityJson;
  /** What its last successful run produced; null before the first one. */
  readonly outputs: JsonObject | null;
  /** The owner's runs in which a part finds itself, newest first; empty if this entity builds itself. */
  readonly runs: readonly OwnerRun[];
}

/** An entity that another one names in its spec. */
export interface Linked extends Omit<Ancestor, "runs"> {
  /** Path of the field below `spec`. */
  readonly field: string;
}

/** A run of an owner, with the parts it builds. */
export interface OwnerRun {
  readonly uid: string;
  readonly state: TaskState;
  readonly attempt: number;
  readonly outcome: TaskOutcome | null;
  readonly progress: TaskProgress | null;
  /** False for a failed preflight or plan, which kept the run from starting. */
  readonly built: boolean;
  /** Whether this is a plan that failed, or that was made and will never be applied. */
  readonly planned: boolean;
  /** Number of times its operation has planned, including this time; null for tasks without a plan. */
  readonly round: number | null;
  /** The stored plan, if one was made. */
  readonly plan?: ScopePlan;
  readonly parts: readonly PartMark[];
}

/** A part as a run builds it. */
export interface PartMark {
  readonly uid: string;
  readonly generation: number;
  readonly retries: number;
}

/** An entity that the runs of its owner build. */
export interface Part extends PartMark {
  readonly kind: string;
  readonly name: string;
  readonly spec: JsonObject;
}

/** An operation on the entity. */
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
}

/** The fields of an operation's status that the reconciler writes. */
export interface OperationStatus extends JsonObject {
  state: string;
}

/** The progress that an agent last reported. */
export interface TaskProgress {
  readonly percent?: number;
  readonly message?: string;
  /** The outputs so far. */
  readonly outputs?: JsonObject;
}

/** A task of the entity. */
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
  /** Number of times its operation has planned with these inputs, including this time. For plans and applies only. */
  readonly round: number | null;
  /** The plan that the task applies. */
  readonly plan: string | null;
  readonly outcome: TaskOutcome | null;
  /** How the previous attempt ended. Read for failed applies and for tasks that wait for their next attempt. */
  readonly formerOutcome?: TaskOutcome;
  readonly progress: TaskProgress | null;
  readonly createdAtMs: number;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  /** Set while the task waits for its next attempt. */
  readonly delayedUntilMs: number | null;
}

/** A stored plan without its changes. Its uid is that of the task that made it. */
export interface ScopePlan {
  readonly uid: string;
  readonly needsApproval: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly findings: readonly { readonly severity: string; readonly message: string; readonly path: string }[];
  readonly expiresAtMs: number;
  readonly approvedBy: string | null;
  readonly discardedBy: string | null;
  /** The apply that took it. A plan is handed out only once. */
  readonly takenBy: string | null;
  /** Whether the Terraform state is still the one that the plan was made for. */
  readonly isCurrent: boolean;
}

/** A drift report. */
export interface ScopeDrift {
  readonly uid: string;
  readonly foundAtMs: number;
  /** Null while the report is open. */
  readonly endedAtMs: number | null;
  readonly items: readonly Json[];
  readonly ignored: number;
}

/** A time at which running entities may be changed. */
export interface MaintenanceWindow {
  readonly days: readonly string[];
  readonly start: string;
  readonly durationMinutes: number;
  readonly timeZone: string;
}
