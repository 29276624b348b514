import type { JsonObject, TaskService, TaskTypeName } from "@cloudwright/contract";
import type { Lane } from "@cloudwright/tasks";
import type { OperationSpec, Scope, ScopeTask } from "./scope.ts";

/** The result of a step: continue with the next one, wait, run a task, or stop. */
export type StepResult =
  | { readonly do: "continue"; readonly message?: string; readonly task?: StepTask; readonly abandoned?: readonly string[] }
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
      /** Number of times the operation has planned with these inputs, including this time. */
      readonly round?: number;
      /** The plan that the task applies. */
      readonly plan?: string;
    }
  | {
      readonly do: "stop";
      readonly reason: string;
      readonly message: string;
      readonly code: string;
      readonly left?: readonly string[];
      /** The findings of a preflight. */
      readonly findings?: readonly JsonObject[];
      readonly task?: StepTask;
    };

/** The reason of an operation that waits for approval. The condition of the same name is True meanwhile. */
export const approvalNeeded = "ApprovalNeeded";
/** The reason of that condition. */
export const planWaits = "PlanWaits";
/** The reason of an operation that a policy denies. */
export const policyDenied = "Denied";

/** The task behind a step. */
export type StepTask = Pick<ScopeTask, "uid" | "attempt" | "progress" | "state"> &
  Partial<Pick<ScopeTask, "startedAtMs" | "endedAtMs">>;

/** The operation that a pass works for, and its inputs. */
export interface Work {
  readonly operationUid: string;
  readonly spec: Pick<OperationSpec, "verb" | "force" | "retries">;
  /** A hash of everything the entity's runs depend on. */
  readonly fingerprint: string;
}

/** One step of a lifecycle: a pure function of the scope. */
export interface Step {
  /** The name of the step in the operation that users see. */
  readonly name: string;
  /** The condition that shows the state of this step. If several steps share one, the last determines it. */
  readonly condition: string;
  /** Its share of the progress in percent, relative to the other steps. */
  readonly weight: number;
  decide(scope: Scope, work: Work, rules: Rules): StepResult;
}

/** The creation and deletion steps of a kind. */
export interface Lifecycle {
  /** The service whose tasks build it: `network` of `network.apply`. A node pool is built by tasks of its cluster. */
  readonly service: TaskService;
  readonly creation: readonly Step[];
  readonly deletion: readonly Step[];
  /** Returns a hash of everything that its runs depend on. */
  fingerprint(scope: Scope): string;
  /** Whether drift can be searched for. */
  readonly checked: boolean;
  /** Returns the fields of the status that come from the outputs of a run. */
  readStatus(outputs: JsonObject): JsonObject;
  /** For a kind that another kind's runs build: the message if such a run succeeds after its own operation has failed. */
  readonly follows?: string;
}

/** Decisions of policies, and the settings of the installation. */
export interface Rules {
  /** Returns why policies deny the spec. Empty if they allow it. */
  findDenials(scope: Scope): readonly string[];
  /** Interval of drift checks, by kind. 0 means never. */
  readonly driftMs: Readonly<Record<string, number>>;
  /** Interval of passes without a wake-up, by kind. */
  readonly resyncMs: Readonly<Record<string, number>>;
  /** Maximum number of attempts of a task, and of plans of an operation whose plan could not be applied. */
  readonly taskAttempts: number;
  /** How many resources one Terraform run changes at once. */
  readonly parallelism: number;
}
