import type { JsonObject, TaskService, TaskTypeName } from "@cloudwright/contract";
import type { Lane } from "@cloudwright/tasks";
import type { OperationSpec, Scope, ScopeTask } from "./scope.ts";

/** What a phase answers: go on to the next one, wait, have a task run, or give up. */
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
      /** How often the operation plans with these inputs, this time included. */
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
      /** What a look ahead found. */
      readonly findings?: readonly JsonObject[];
      readonly task?: StepTask;
    };

/** Why an operation waits for a person; the condition of the same name is True while it does. */
export const approvalNeeded = "ApprovalNeeded";
/** The reason of that condition. */
export const planWaits = "PlanWaits";
/** Why a policy stops an operation. */
export const policyDenied = "Denied";

/** The task behind a step. */
export type StepTask = Pick<ScopeTask, "uid" | "attempt" | "progress" | "state"> &
  Partial<Pick<ScopeTask, "startedAtMs" | "endedAtMs">>;

/** The operation that a pass works for, and what it is to bring about. */
export interface Work {
  readonly operationUid: string;
  readonly spec: Pick<OperationSpec, "verb" | "force" | "retries">;
  /** A hash of everything the entity's runs depend on. */
  readonly fingerprint: string;
}

/** One step on the way; pure: it looks at the scope and touches nothing. */
export interface Step {
  /** Shown as a step of the operation. */
  readonly name: string;
  /** The condition that says how this phase stands; of phases that share one the last says it. */
  readonly condition: string;
  /** Its part of the whole, for the percentage. */
  readonly weight: number;
  decide(scope: Scope, work: Work, rules: Rules): StepResult;
}

/** What a kind's life consists of. */
export interface Lifecycle {
  /** The service whose tasks build it: `network` of `network.apply`. A node pool is built by tasks of its cluster. */
  readonly service: TaskService;
  readonly creation: readonly Step[];
  readonly deletion: readonly Step[];
  /** Everything its runs depend on. */
  fingerprint(scope: Scope): string;
  /** Whether its infrastructure can be compared with the cloud now and then. */
  readonly checked: boolean;
  /** The typed part of the status that the outputs of a run fill. */
  readStatus(outputs: JsonObject): JsonObject;
  /** Set for a kind whose work is another's: what came about after its own operation had failed, and in which words. */
  readonly follows?: string;
}

/** What is decided elsewhere: by policies, and by the installation's settings. */
export interface Rules {
  /** Why the entity may not be as it is asked for; empty when it may. */
  findDenials(scope: Scope): readonly string[];
  /** How often its infrastructure is compared with the cloud, by kind; 0 for never. */
  readonly driftMs: Readonly<Record<string, number>>;
  /** How often an entity is looked at though nobody woke it, by kind. */
  readonly resyncMs: Readonly<Record<string, number>>;
  /** How often a task is begun, and how often an operation plans anew because a plan could not be applied. */
  readonly taskAttempts: number;
  /** Calls to the cloud that one run may make at once. */
  readonly parallelism: number;
}
