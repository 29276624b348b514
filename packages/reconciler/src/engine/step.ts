import type { GateStage, JsonObject, TaskService, TaskTypeName } from "@cloudwright/contract";
import type { Lane } from "@cloudwright/tasks";
import type { OperationSpec, Scope, ScopeTask } from "./scope.ts";

/** Result of a step: continue with the next step, wait, run a task, or stop the operation. */
export type StepResult =
  | {
      readonly do: "continue";
      readonly message?: string;
      readonly task?: StepTask;
      readonly abandoned?: readonly string[];
      /**
       * Describes what is still missing, even though the operation can continue. If set, the step's condition is False with this message.
       */
      readonly pending?: string;
    }
  | {
      readonly do: "wait";
      readonly reason: string;
      readonly message: string;
      readonly task?: StepTask;
      readonly recheckAfterMs?: number;
    }
  | {
      readonly do: "run";
      readonly type: TaskTypeName;
      readonly lane: Lane;
      readonly after?: string;
      /** Number of times the operation has planned with these inputs, including this plan. */
      readonly round?: number;
      /** Uid of the plan that the task applies. */
      readonly plan?: string;
      /** Upgrade gates that the task runs. `key` replaces the operation's fingerprint, so that each stage has its own task. */
      readonly gates?: GatesWish & { readonly key: string };
    }
  | {
      readonly do: "stop";
      readonly reason: string;
      readonly message: string;
      readonly code: string;
      readonly left?: readonly string[];
      /** Preflight findings. */
      readonly findings?: readonly JsonObject[];
      readonly task?: StepTask;
    };

/** The upgrade gates that a task runs. */
export interface GatesWish {
  readonly stage: GateStage;
  /** Gates that users told the platform to skip. */
  readonly skip: readonly string[];
}

/** Names of the steps that run upgrade gates. */
export const gateSteps: ReadonlySet<string> = new Set(["gates", "gatesAfter"]);

/** Type of the condition that is True while an upgrade is paused. */
export const upgradePaused = "UpgradePaused";
/** Reasons why an upgrade pauses. Steps report them while they wait, and the `UpgradePaused` condition repeats them. */
export const pauseReasons: ReadonlySet<string> = new Set(["GateFailed", "NodesTooOld"]);

/** Reason that an operation reports while it waits for approval. Also the type of the condition that is True during that time. */
export const approvalNeeded = "ApprovalNeeded";
/** Reason of the `ApprovalNeeded` condition while a plan waits for approval. */
export const planWaits = "PlanWaits";
/** Reason that an operation reports if a policy denies it. */
export const policyDenied = "Denied";

/** The task that a step runs or waits for. */
export type StepTask = Pick<ScopeTask, "uid" | "attempt" | "progress" | "state"> &
  Partial<Pick<ScopeTask, "startedAtMs" | "endedAtMs">>;

/** The current operation and the fingerprint of its inputs. */
export interface Work {
  readonly operationUid: string;
  readonly spec: Pick<OperationSpec, "verb" | "force" | "retries" | "resumes" | "skipGates">;
  /** Hash of everything that the entity's runs depend on. */
  readonly fingerprint: string;
}

/** A lifecycle step: a pure function of the scope. */
export interface Step {
  /** Name of the step as users see it in an operation. */
  readonly name: string;
  /** Condition that reflects the step. If several steps share a condition, the last evaluated one determines it. */
  readonly condition: string;
  /** Share of the operation's progress, relative to the other steps. */
  readonly weight: number;
  decide(scope: Scope, work: Work, rules: Rules): StepResult;
}

export interface Lifecycle {
  /** Service of the tasks that build the entity, such as `network` in `network.apply`. Node pools use their cluster's service. */
  readonly service: TaskService;
  readonly creation: readonly Step[];
  readonly deletion: readonly Step[];
  /** Returns a hash of everything that the entity's runs depend on. */
  fingerprint(scope: Scope): string;
  /** Whether the kind supports drift checks. */
  readonly checked: boolean;
  /** Extracts status fields from a run's outputs. */
  readStatus(outputs: JsonObject): JsonObject;
  /** Message of the operation that is opened if the owner's run succeeds after the entity's own operation failed. Set only for parts. */
  readonly follows?: string;
}

/** Policy decisions and the installation's settings. */
export interface Rules {
  /** Returns the reasons why policies deny the spec. Empty if they allow it. */
  findDenials(scope: Scope): readonly string[];
  /** Intervals between drift checks, keyed by kind. 0 disables the checks. */
  readonly driftMs: Readonly<Record<string, number>>;
  /** Intervals between resync passes, keyed by kind. */
  readonly resyncMs: Readonly<Record<string, number>>;
  /** Maximum number of attempts per task, and of plans per operation. */
  readonly taskAttempts: number;
  /** Maximum number of resources that one Terraform run changes concurrently. */
  readonly parallelism: number;
}
