import type { CloudName } from "@cloudwright/contract/clouds";
import type { FaultDefinition } from "@cloudwright/platform";
import type { AddOn } from "./addons/add-on.ts";
import { awsCatalogue } from "./addons/aws/catalogue.ts";
import { awsErrors } from "./executor/terraform/aws/cloud-errors.ts";
import { isManagedAddOn } from "./kubernetes/aws/managed-add-ons.ts";
import { awsKubernetes } from "./kubernetes/aws/stack.ts";
import { awsNetwork } from "./network/aws/stack.ts";
import { awsChecks } from "./preflight/aws/checks.ts";
import type { PreflightChecks } from "./preflight/question.ts";
import type { Stack } from "./stack.ts";
import { awsStorage } from "./storage/aws/stack.ts";

/** What this package knows of one cloud. Everything generic finds it here by the cloud's name. */
export interface DeployerCloud {
  readonly stacks: readonly Stack[];
  readonly checks: PreflightChecks;
  readonly addOns: readonly AddOn[];
  /** Returns whether the cloud itself installs an add-on, so that nobody else may. */
  isManagedAddOn(name: string): boolean;
  /** The cloud's error codes in Terraform's messages, with the fault that each one means. */
  readonly errors: readonly (readonly [FaultDefinition, RegExp])[];
}

const registry: Readonly<Partial<Record<CloudName, DeployerCloud>>> = {
  aws: {
    stacks: [awsNetwork, awsKubernetes, awsStorage],
    checks: awsChecks,
    addOns: awsCatalogue,
    isManagedAddOn,
    errors: awsErrors,
  },
};

/** Every cloud that entities can be built in. */
export const deployerClouds: readonly DeployerCloud[] = Object.values(registry);

/** Returns what this package knows of a cloud, if it can build entities there. */
export function findDeployerCloud(name: string): DeployerCloud | undefined {
  return Object.hasOwn(registry, name) ? registry[name as CloudName] : undefined;
}
