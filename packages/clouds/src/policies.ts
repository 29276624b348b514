import type { CloudName } from "@cloudwright/contract/clouds";
import { awsPolicy } from "./aws/permissions/render-policy.ts";
import { azurePolicy } from "./azure/permissions/render-policy.ts";
import { gcpPolicy } from "./gcp/permissions/render-policy.ts";
import type { PermissionPolicy } from "./permission-policy.ts";

export type { PermissionPolicy };

const registry: Readonly<Partial<Record<CloudName, PermissionPolicy>>> = { aws: awsPolicy, gcp: gcpPolicy, azure: azurePolicy };

/** Clouds that have least-privilege policies. */
export const policyClouds = Object.keys(registry) as readonly CloudName[];

/** Returns a cloud's least-privilege policies without loading its provider. */
export function findPolicy(cloud: CloudName): PermissionPolicy | undefined {
  return registry[cloud];
}
