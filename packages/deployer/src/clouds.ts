import type { CloudName } from "@cloudwright/contract/clouds";
import type { FaultDefinition } from "@cloudwright/platform";
import type { AddOn } from "./addons/add-on.ts";
import { awsCatalogue } from "./addons/aws/catalogue.ts";
import { azureCatalogue } from "./addons/azure/catalogue.ts";
import { gcpCatalogue, isManagedAddOn as isManagedByGke } from "./addons/gcp/catalogue.ts";
import { awsDependencyError, awsErrors } from "./executor/terraform/aws/cloud-errors.ts";
import { azureDependencyError, azureErrors } from "./executor/terraform/azure/cloud-errors.ts";
import { gcpDependencyError, gcpErrors } from "./executor/terraform/gcp/cloud-errors.ts";
import { isManagedAddOn } from "./kubernetes/aws/managed-add-ons.ts";
import { awsKubernetes } from "./kubernetes/aws/stack.ts";
import { isManagedAddOn as isManagedByAks } from "./kubernetes/azure/managed-add-ons.ts";
import { azureKubernetes } from "./kubernetes/azure/stack.ts";
import { gcpKubernetes } from "./kubernetes/gcp/stack.ts";
import { awsNetwork } from "./network/aws/stack.ts";
import { azureNetwork } from "./network/azure/stack.ts";
import { gcpNetwork } from "./network/gcp/stack.ts";
import { awsChecks } from "./preflight/aws/checks.ts";
import { azureChecks } from "./preflight/azure/checks.ts";
import { gcpChecks } from "./preflight/gcp/checks.ts";
import type { PreflightChecks } from "./preflight/question.ts";
import type { Stack } from "./stack.ts";
import { awsStorage } from "./storage/aws/stack.ts";
import { azureStorage } from "./storage/azure/stack.ts";
import { gcpStorage } from "./storage/gcp/stack.ts";

/** Everything in this package that is specific to one cloud. Generic code looks it up by the cloud's name. */
export interface DeployerCloud {
  readonly stacks: readonly Stack[];
  readonly checks: PreflightChecks;
  readonly addOns: readonly AddOn[];
  /** Returns whether the cloud itself installs this add-on. Such an add-on must not be installed from the catalogue. */
  isManagedAddOn(name: string): boolean;
  /** Patterns that match the cloud's error codes in Terraform messages, each with the fault to report. */
  readonly errors: readonly (readonly [FaultDefinition, RegExp])[];
  /** Matches the cloud's error message for a deletion that was rejected because other resources depend on the resource. */
  readonly dependencyError?: RegExp;
}

const registry: Readonly<Partial<Record<CloudName, DeployerCloud>>> = {
  aws: {
    stacks: [awsNetwork, awsKubernetes, awsStorage],
    checks: awsChecks,
    addOns: awsCatalogue,
    isManagedAddOn,
    errors: awsErrors,
    dependencyError: awsDependencyError,
  },
  gcp: {
    stacks: [gcpNetwork, gcpKubernetes, gcpStorage],
    checks: gcpChecks,
    addOns: gcpCatalogue,
    isManagedAddOn: isManagedByGke,
    errors: gcpErrors,
    dependencyError: gcpDependencyError,
  },
  azure: {
    stacks: [azureNetwork, azureKubernetes, azureStorage],
    checks: azureChecks,
    addOns: azureCatalogue,
    isManagedAddOn: isManagedByAks,
    errors: azureErrors,
    dependencyError: azureDependencyError,
  },
};

export const deployerClouds: readonly DeployerCloud[] = Object.values(registry);

/** Finds a cloud by name. Returns undefined if this package cannot build entities in the cloud. */
export function findDeployerCloud(name: string): DeployerCloud | undefined {
  return Object.hasOwn(registry, name) ? registry[name as CloudName] : undefined;
}
