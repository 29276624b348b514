import type { CloudName } from "@cloudwright/contract/clouds";
import type { FaultDefinition } from "@cloudwright/platform";
import type { AddOn } from "./addons/add-on.ts";
import { awsCatalogue } from "./addons/aws/catalogue.ts";
import { azureCatalogue } from "./addons/azure/catalogue.ts";
import { gcpCatalogue, isManagedAddOn as isManagedByGke } from "./addons/gcp/catalogue.ts";
import { awsClusterBlueprint } from "./direct/aws/cluster.ts";
import { awsInstanceBlueprint } from "./direct/aws/instance.ts";
import { awsSecurityGroupBlueprint } from "./direct/aws/security-group.ts";
import { awsVolumeBlueprint } from "./direct/aws/volume.ts";
import { gcpClusterBlueprint } from "./direct/gcp/cluster.ts";
import { gcpInstanceBlueprint } from "./direct/gcp/instance.ts";
import { gcpSecurityGroupBlueprint } from "./direct/gcp/security-group.ts";
import { gcpVolumeBlueprint } from "./direct/gcp/volume.ts";
import { azureClusterBlueprint } from "./direct/azure/cluster.ts";
import { azureInstanceBlueprint } from "./direct/azure/instance.ts";
import { azureSecurityGroupBlueprint } from "./direct/azure/security-group.ts";
import { azureVolumeBlueprint } from "./direct/azure/volume.ts";
import { localInstanceBlueprint } from "./direct/local/instance.ts";
import { localNetworkBlueprint } from "./direct/local/network.ts";
import { localSecurityGroupBlueprint } from "./direct/local/security-group.ts";
import { localVolumeBlueprint } from "./direct/local/volume.ts";
import { localVolumeSnapshotBlueprint } from "./direct/local/volume-snapshot.ts";
import { existingEks } from "./existing/aws/facts.ts";
import { existingAks } from "./existing/azure/facts.ts";
import type { ExistingCloud } from "./existing/existing-cloud.ts";
import { existingGke } from "./existing/gcp/facts.ts";
import type { Blueprint } from "./executor/in-process/blueprint.ts";
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
import { localChecks } from "./preflight/local/checks.ts";
import type { PreflightChecks } from "./preflight/question.ts";
import type { Stack } from "./stack.ts";
import { awsStorage } from "./storage/aws/stack.ts";
import { azureStorage } from "./storage/azure/stack.ts";
import { gcpStorage } from "./storage/gcp/stack.ts";

/** Everything in this package that is specific to one cloud. Generic code looks it up by the cloud's name. */
export interface DeployerCloud {
  readonly stacks: readonly Stack[];
  /** Services that can be built without Terraform. If the cloud has no stack for one of them, its blueprint builds all its entities. */
  readonly blueprints?: readonly Blueprint[];
  /** Describes how to read and manage clusters that the platform did not create. Absent if the cloud does not support this. */
  readonly existing?: ExistingCloud;
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
    blueprints: [awsClusterBlueprint, awsSecurityGroupBlueprint, awsInstanceBlueprint, awsVolumeBlueprint],
    existing: existingEks,
    checks: awsChecks,
    addOns: awsCatalogue,
    isManagedAddOn,
    errors: awsErrors,
    dependencyError: awsDependencyError,
  },
  gcp: {
    stacks: [gcpNetwork, gcpKubernetes, gcpStorage],
    blueprints: [gcpClusterBlueprint, gcpSecurityGroupBlueprint, gcpInstanceBlueprint, gcpVolumeBlueprint],
    existing: existingGke,
    checks: gcpChecks,
    addOns: gcpCatalogue,
    isManagedAddOn: isManagedByGke,
    errors: gcpErrors,
    dependencyError: gcpDependencyError,
  },
  azure: {
    stacks: [azureNetwork, azureKubernetes, azureStorage],
    blueprints: [azureClusterBlueprint, azureInstanceBlueprint, azureSecurityGroupBlueprint, azureVolumeBlueprint],
    existing: existingAks,
    checks: azureChecks,
    addOns: azureCatalogue,
    isManagedAddOn: isManagedByAks,
    errors: azureErrors,
    dependencyError: azureDependencyError,
  },
  local: {
    stacks: [],
    blueprints: [
      localNetworkBlueprint,
      localSecurityGroupBlueprint,
      localInstanceBlueprint,
      localVolumeBlueprint,
      localVolumeSnapshotBlueprint,
    ],
    checks: localChecks,
    addOns: [],
    isManagedAddOn: () => false,
    errors: [],
  },
};

export const deployerClouds: readonly DeployerCloud[] = Object.values(registry);

/** The clouds in which the platform supports clusters that it did not create. Each entry contains the cloud's name and its facts. */
export const existingClouds: readonly (readonly [cloud: string, facts: ExistingCloud])[] = Object.entries(registry).flatMap(
  ([cloud, { existing }]) => (existing === undefined ? [] : [[cloud, existing] as const]),
);

/** Finds a cloud by name. Returns undefined if this package cannot build entities in the cloud. */
export function findDeployerCloud(name: string): DeployerCloud | undefined {
  return Object.hasOwn(registry, name) ? registry[name as CloudName] : undefined;
}
