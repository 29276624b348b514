import type { TaskRepair } from "@cloudwright/contract";
import type { Fault } from "@cloudwright/platform";
import type { Finding } from "../preflight/question.ts";
import type { DeployedAccount, DeployerTask, JsonObject } from "../task.ts";
import type { Drift } from "./describe-drift.ts";
import type { ExecutorPlan, PlannedChange } from "./executor-plan.ts";
import type { PoolProblem } from "./pool-problem.ts";
import type { PreviewItem } from "./preview-item.ts";
import type { TaskSession } from "./task-session.ts";

/**
 * Builds, changes and removes the resources of one entity, for the duration of one task.
 *
 * The deployer is responsible for the entity, the task, policies, approvals and the timeline. The executor is responsible for the resources and a
 * state document. Every executor gives the following guarantees, which `testing/executor-contract.ts` verifies:
 *
 * - **Single writer.** The caller holds the task's lease, so no other executor works on the entity. The executor writes the state document only
 *   while it holds the document's lock.
 * - **Crash safety.** The process may be killed before or after any call to the cloud or the state endpoint. The next executor finds every
 *   resource, either in the state document or by its ownership tag. It never creates a resource twice.
 * - **Idempotency.** A method that is repeated after a failure continues the work. If nothing is left to do, it changes nothing.
 * - **Cancellation.** When the task's signal is aborted, the executor does not start further changes and records the changes in progress.
 *   It then rejects with the signal's reason or with `deployer.cancelled`.
 * - **Progress.** The executor reports progress through the task. It logs `ADDRESS: ACTION started`, `finished` or `failed` for every resource.
 *   The timeline is generated from these lines.
 * - **Secrets.** Sensitive values appear only in the saved plan and the state document, which the control plane encrypts. They never appear in
 *   a planned change, a log line, an output or a fault.
 */
export interface Executor {
  /** Throws if the desired spec cannot be built. Changes nothing and does not open the state. */
  preflight(): Promise<void>;
  /**
   * Finds resources that carry the entity's ownership tag but are missing from the state document. Adds them to the document, immediately or
   * with the next plan, so that no resource is created twice. Ignores resources that a user told the platform to forget. Returns the
   * addresses of the adopted resources. Callers run it once before `plan`.
   */
  adopt(): Promise<readonly string[]>;
  /** Returns the changes needed to make the cloud resources match the desired spec. Does not change any resources. */
  plan(): Promise<ExecutorPlan>;
  /**
   * Applies exactly the saved plan. Rejects with `deployer.plan_gone` if the plan is based on another state document. `takeSavedPlan`
   * succeeds only once, so the executor calls it after all other preparations.
   */
  apply(takeSavedPlan: () => Promise<Buffer>): Promise<ExecutorOutputs>;
  /**
   * Deletes all resources of the entity in reverse order of creation, including resources that are missing from the state document. Works
   * even if the spec is invalid, because a deletion must always be able to finish. Calls `beforeRemoval` after all preparations and before
   * the first deletion.
   */
  destroy(beforeRemoval?: () => Promise<void>): Promise<void>;
  /** Lists permissions that the desired changes require and the platform lacks. Absent if preflight checks cover them. */
  findMissingRights?(): Promise<readonly Finding[]>;
  /** Lists the managed resources in the state document, for the preview of a deletion. Absent if the executor cannot list them. */
  listResources?(): Promise<readonly ListedResource[]>;
  /** Compares the cloud with the state document. Changes neither. */
  findDrift(): Promise<Drift>;
  /**
   * Adds one existing resource to the state document, at the request of a user. Throws if the resource does not exist or belongs to another
   * entity, or if the address is in use. Does not change any resources. Absent if the executor does not support it.
   */
  adoptResource?(resource: TaskRepair): Promise<RepairResult>;
  /**
   * Removes one resource from the state document, at the request of a user. Does not access the resource itself. Absent if the executor
   * does not support it.
   */
  forgetResource?(resource: Omit<TaskRepair, "id">): Promise<RepairResult>;
}

/** A resource in a state document. */
export interface ListedResource {
  readonly address: string;
  readonly type: string;
  readonly id: string;
}

/** The result of repairing one resource, or of a dry run. */
export interface RepairResult {
  /** False if the state document already matched the request. */
  readonly isChanged: boolean;
  /** A one-sentence description of what happened. */
  readonly message: string;
  /** The adopted resource as the state records it. Its id may differ from the id that it was imported with. */
  readonly adopted?: { readonly type: string; readonly id: string };
}

export interface ExecutorOutputs {
  /** Fields for the entity's status. */
  readonly status: JsonObject;
  /** Version of the configuration or blueprint that built the entity. */
  readonly version: string;
  /** Node pools that could not be built, while everything else was. */
  readonly problems?: readonly PoolProblem[];
  /** Terraform's dependency lock file, if the executor uses Terraform. */
  readonly lockFile?: string;
}

/** Actions that an executor is opened for. A preview plans a change that is never applied. */
export type ExecutorAction = Exclude<keyof Executor, "adopt" | "listResources" | "findMissingRights"> | "preview";

/** The input of an executor: a task, its account and the requested action. */
export interface ExecutorWork {
  readonly task: DeployerTask;
  readonly account: DeployedAccount;
  readonly action: ExecutorAction;
  readonly session: TaskSession;
}

/** An executor that may hold locks, directories and processes until it is closed. */
export interface OpenedExecutor extends Executor {
  /** Releases locks, directories and processes. After a failure, the files that the next attempt needs are kept. */
  close(succeeded: boolean): Promise<void>;
}

/** Creates executors for one service in one cloud. */
export interface ServiceExecutor {
  /** Name of the executor's technology, for example `terraform`. */
  readonly name: string;
  readonly service: string;
  readonly cloud: string;
  /**
   * The provisioner that an entity must select in order to be built by this executor. Absent if the executor builds all entities of the
   * service.
   */
  readonly provisioner?: string;
  /** True if the platform did not create the entities. The quota and name checks for new entities do not apply to them. */
  readonly isForeign?: boolean;
  /** True if a node pool that cannot be built does not stop the changes of other pools in a cluster that was built before. */
  readonly isolatesPools?: boolean;
  /** Throws if the desired spec cannot be built. Accesses neither the cloud nor the state. */
  checkSpec(work: Omit<ExecutorWork, "session">): void;
  /** Prepares an executor. Throws if the desired version cannot be built. The state and the cloud are opened on first use. */
  open(work: ExecutorWork): OpenedExecutor;
  /** Describes a planned change in more detail for a preview. Returns undefined if the generic description is sufficient. */
  describeChange?(change: PlannedChange): readonly PreviewItem[] | undefined;
  /** Returns a fault that names the underlying cause, or the given fault if the cause is unknown. */
  explain?(fault: Fault): Fault;
  /** Removes everything that the agent keeps for an entity between tasks. Called after the entity is deleted. */
  forget?(entityUid: string): void;
}
