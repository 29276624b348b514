import type { EntityJson, Json, JsonObject, TaskTypeName } from "@cloudwright/contract";
import type { AgentAbility, Placement, TaskOutcome, TaskState } from "@cloudwright/tasks";

/** Everything that is known when one entity is looked at, read once. Phases are functions of it. */
export interface Scope {
  readonly nowMs: number;
  readonly entity: ScopeEntity;
  /** What it lies in, nearest first; the last one is the account. */
  readonly above: readonly Ancestor[];
  /** Nothing may be begun: the entity, its project or everything is paused; says which. */
  readonly pausedBy: string;
  readonly windows: readonly MaintenanceWindow[];
  /** How many entities lie directly below it, and the names of some. Counted only for one that is to go. */
  readonly children: { readonly count: number; readonly some: readonly string[]; readonly failed: readonly FailedChild[] };
  /** Of a cluster. */
  readonly nodePools: readonly NodePool[];
  /** The newest operation on it, and older ones that are still open. */
  readonly operation: ScopeOperation | undefined;
  readonly olderOperations: readonly ScopeOperation[];
  /** Open operations that only look: previews and preflights, oldest first. */
  readonly previews: readonly ScopeOperation[];
  /** The newest of each type, the newest done of each type, and all that are open, oldest first. */
  readonly tasks: readonly ScopeTask[];
  /** Whether anybody ever began to build something for it. */
  readonly begun: boolean;
  /** What became of the newest plan, read only while an operation is open; undefined where none was kept. */
  readonly plan: ScopePlan | undefined;
  /** The newest report of what others changed. */
  readonly drift: ScopeDrift | undefined;
  /** Agents that were seen lately; undefined when nobody asked. */
  readonly agents: readonly AgentAbility[] | undefined;
}

/** A child that was to go and could not. */
export interface FailedChild {
  readonly kind: string;
  readonly name: string;
  readonly message: string;
  readonly operation: string;
}

/** An entity as it was read; writes are conditional on its version. */
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

/** An entity that another one lies in. */
export interface Ancestor {
  readonly uid: string;
  readonly kind: string;
  readonly object: EntityJson;
  /** What its last successful run produced; null when there was none. */
  readonly outputs: JsonObject | null;
  /** The cluster's runs that a node pool looks for itself in, newest first. */
  readonly runs: readonly ClusterRun[];
}

/** A run of a cluster, with the node pools it carried. */
export interface ClusterRun {
  readonly uid: string;
  readonly state: TaskState;
  readonly attempt: number;
  readonly outcome: TaskOutcome | null;
  readonly progress: TaskProgress | null;
  /** False for a look ahead or a plan that failed, so that the run never came. */
  readonly built: boolean;
  /** Whether it is a plan: one that failed, or was made and will never be applied. */
  readonly planned: boolean;
  /** How often its operation had planned when it was asked for; null where plans are not counted. */
  readonly round: number | null;
  /** What is kept of the plan; of plans that were made only. */
  readonly plan?: ScopePlan;
  readonly pools: readonly PoolMark[];
}

/** A node pool as a run carries it. */
export interface PoolMark {
  readonly uid: string;
  readonly generation: number;
  readonly retries: number;
}

/** A node pool of a cluster that is not to go. */
export interface NodePool extends PoolMark {
  readonly name: string;
  readonly spec: JsonObject;
}

/** An operation as it was read. */
export interface ScopeOperation {
  readonly uid: string;
  readonly version: string;
  readonly object: EntityJson & { spec: OperationSpec; status: OperationStatus };
  readonly environment: string;
  readonly parentUid: string | null;
}

/** The parts of an operation's spec that are read here. */
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

/** The parts of an operation's status that are written here. */
export interface OperationStatus extends JsonObject {
  state: string;
}

/** What an agent last said of a task. */
export interface TaskProgress {
  readonly percent?: number;
  readonly message?: string;
  /** What the work has produced so far. */
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
  /** How often its operation had planned with these inputs, this time included; of plans and what applies them. */
  readonly round: number | null;
  /** The plan that it applies. */
  readonly plan: string | null;
  readonly outcome: TaskOutcome | null;
  /** How the attempt before its last one ended; of what could not be applied, and of what waits for its next attempt. */
  readonly formerOutcome?: TaskOutcome;
  readonly progress: TaskProgress | null;
  readonly createdAtMs: number;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  /** Set while it waits for its next attempt. */
  readonly delayedUntilMs: number | null;
}

/** A saved plan, without what it does. Its uid is that of the task that made it. */
export interface ScopePlan {
  readonly uid: string;
  readonly needsApproval: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly findings: readonly { readonly severity: string; readonly message: string; readonly path: string }[];
  readonly expiresAtMs: number;
  readonly approvedBy: string | null;
  readonly discardedBy: string | null;
  /** The task that it was handed out to, which happens once. */
  readonly takenBy: string | null;
  /** Whether the state is still the one that it was made on. */
  readonly isCurrent: boolean;
}

/** A report of what others changed. */
export interface ScopeDrift {
  readonly uid: string;
  readonly foundAtMs: number;
  /** Null while it is open. */
  readonly endedAtMs: number | null;
  readonly items: readonly Json[];
  readonly ignored: number;
}

/** When what runs already may be changed. */
export interface MaintenanceWindow {
  readonly days: readonly string[];
  readonly start: string;
  readonly durationMinutes: number;
  readonly timeZone: string;
}
