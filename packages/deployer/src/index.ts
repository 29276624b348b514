/**
 * Runs tasks: an executor plans the changes to an entity, applies the plan and returns a typed status. `executor/executor.ts` defines the
 * contract for executors. Terraform and the in-process executor implement it. This package must not depend on a database. The endpoint for
 * states and plans is the only wire protocol it uses.
 */
export { createDeployer, type Deployer, type DeployerDeps } from "./create-deployer.ts";
export { ownConfigurations, type Configuration } from "./executor/terraform/configurations.ts";
export type { AddOn } from "./addons/add-on.ts";
export { fetchHelm } from "./addons/fetch-helm.ts";
export { readCatalogue } from "./addons/read-catalogue.ts";
export type { BackendSecrets } from "./executor/terraform/external-backend.ts";
export * from "./faults.ts";
export { createRunLogs, type RunLogs } from "./executor/terraform/run-logs.ts";
export { createWarmDirectories, type WarmDirectories } from "./executor/terraform/warm-directories.ts";
export type {
  Cloud,
  CloudRun,
  ClusterAccess,
  ClusterAddress,
  ClusterLeftovers,
  Leftover,
  OpenCloud,
  OpenView,
  OwnedResource,
  VerifyAccount,
} from "./cloud.ts";
export type { Executor, ExecutorOutputs, ExecutorWork, OpenedExecutor, ServiceExecutor } from "./executor/executor.ts";
export type { ExecutorPlan, PlannedChange } from "./executor/executor-plan.ts";
export { refer, type Blueprint, type DesiredResource, type ResourceType } from "./executor/in-process/blueprint.ts";
export { createInProcessExecutor } from "./executor/in-process/in-process-executor.ts";
export type { Stack } from "./stack.ts";
export type { DeployedAccount, DeployedEntity, DeployerOutcome, DeployerTask, JsonObject, StateAccess } from "./task.ts";
