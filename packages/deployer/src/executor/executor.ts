import type { Fault } from "@cloudwright/platform";
import type { DeployedAccount, DeployerTask, JsonObject } from "../task.ts";
import type { Drift } from "./describe-drift.ts";
import type { ExecutorPlan, PlannedChange } from "./executor-plan.ts";
import type { PreviewItem } from "./preview-item.ts";
import type { TaskSession } from "./task-session.ts";

/**
 * Builds, changes and removes the resources of one entity, for the duration of one task.
 *
 * The deployer owns the entity, the task, policies, approvals and the timeline. The executor owns the resources and a state document. Every
 * executor keeps these promises, and `testing/executor-contract.ts` checks them:
 *
 * - **One writer.** The caller holds the task's lease, so no other executor works on the entity. The state document is written only while its
 *   lock is held.
 * - **Killed at any moment.** A process may die before or after any call to the cloud or the state endpoint. The next executor finds every
 *   resource, either in the state document or by its ownership tag. It never creates a resource a second time.
 * - **Idempotent.** Repeating a method after a failure continues the work. When nothing is left to do, it changes nothing.
 * - **Cancellation.** When the task's signal is aborted, the executor starts no further change and records the changes in progress. It then
 *   rejects with the signal's reason or with `deployer.cancelled`.
 * - **Progress.** It reports progress through the task. It logs `ADDRESS: ACTION started`, `finished` or `failed` for every resource, because
 *   the timeline is drawn from these lines.
 * - **Secrets.** Sensitive values appear only in the saved plan and the state document, which the control plane encrypts. They never appear in
 *   a planned change, a log line, an output or a fault.
 */
export interface Executor {
  /** Throws if the desired spec cannot be built here. Changes nothing and opens no state. */
  preflight(): Promise<void>;
  /**
   * Takes every resource with the entity's ownership tag into the state document, so that the next plan does not create it again. Returns the
   * addresses of the adopted resources. Callers run it once before `plan`.
   */
  adopt(): Promise<readonly string[]>;
  /** Compares the desired spec with the cloud and returns the difference. Changes no resource. */
  plan(): Promise<ExecutorPlan>;
  /**
   * Applies exactly the saved plan. `takeSavedPlan` hands a plan out only once, so the executor calls it when everything else is ready. Rejects
   * with `deployer.plan_gone` if the plan was made for another state document.
   */
  apply(takeSavedPlan: () => Promise<Buffer>): Promise<ExecutorOutputs>;
  /**
   * Removes every resource of the entity, including those that only their tags identify, in reverse order of creation. It needs no valid spec:
   * a deletion must always be able to finish. Runs `beforeRemoval` when everything is ready and before it removes the first resource.
   */
  destroy(beforeRemoval?: () => Promise<void>): Promise<void>;
  /** Compares the cloud with the state document. Changes nothing. */
  findDrift(): Promise<Drift>;
}

/** The result of an apply. */
export interface ExecutorOutputs {
  /** Fields for the entity's status. */
  readonly status: JsonObject;
  /** The version of the configuration or blueprint that built the entity. */
  readonly version: string;
  /** Terraform's dependency lock file, if the executor has one. */
  readonly lockFile?: string;
}

/** The methods of an executor as task actions, plus the preview of a change that is never applied. */
export type ExecutorAction = Exclude<keyof Executor, "adopt"> | "preview";

/** The task that an executor is opened for. */
export interface ExecutorWork {
  readonly task: DeployerTask;
  readonly account: DeployedAccount;
  readonly action: ExecutorAction;
  readonly session: TaskSession;
}

/** An executor that holds resources of the agent until it is closed. */
export interface OpenedExecutor extends Executor {
  /** Releases locks, directories and processes. After a failure it keeps whatever the next attempt needs. */
  close(succeeded: boolean): Promise<void>;
}

/** Connects one service in one cloud with the executor that builds it. */
export interface ServiceExecutor {
  /** The executor's name, for example `terraform`. */
  readonly name: string;
  readonly service: string;
  readonly cloud: string;
  /** Throws if the desired spec cannot be built. Reads neither the cloud nor the state. */
  checkSpec(work: Omit<ExecutorWork, "session">): void;
  /** Prepares an executor. Throws if the desired version cannot be built. Opens neither state nor cloud before a method needs them. */
  open(work: ExecutorWork): OpenedExecutor;
  /** Describes a planned change that deserves more than its address in a preview. Returns undefined for all others. */
  describeChange?(change: PlannedChange): PreviewItem | undefined;
  /** Returns the fault that names the cause of an executor's fault, or the same fault if nothing more is known. */
  explain?(fault: Fault): Fault;
  /** Forgets what the agent keeps for an entity between tasks, after the entity was deleted. */
  forget?(entityUid: string): void;
}
