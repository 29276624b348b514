/**
 * Deployers: an entity becomes variables, the variables a run of Terraform, its outputs a typed status. It knows no database and no wire: tasks
 * come to it as values, and what runs in place of a cloud is given to it.
 */
export { createDeployer, type Deployer, type DeployerDeps } from "./create-deployer.ts";
export { findConfiguration, ownConfigurations, type Configuration } from "./configurations.ts";
export * from "./faults.ts";
export type { Cloud, OwnedThing } from "./cloud.ts";
export type { Stack } from "./stack.ts";
export type { DeployerOutcome, DeployerTask } from "./task.ts";
