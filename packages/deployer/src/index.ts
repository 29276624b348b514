/**
 * Deployers: an entity becomes variables, the variables a plan, the plan a run of Terraform, its outputs a typed status. It knows no database and no
 * wire but the door of states and plans: tasks come to it as values, and what runs in place of a cloud is given to it.
 */
export { createDeployer, type Deployer, type DeployerDeps } from "./create-deployer.ts";
export { ownConfigurations, type Configuration } from "./executor/terraform/configurations.ts";
export type { AddOn } from "./addons/add-on.ts";
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
export type { Stack } from "./stack.ts";
export type { DeployedAccount, DeployedEntity, DeployerOutcome, DeployerTask, JsonObject, StateAccess } from "./task.ts";
