import type { CloudName } from "@cloudwright/contract/clouds";
import { awsPolicy } from "./aws/permissions/render-policy.ts";
import type { PermissionPolicy } from "./permission-policy.ts";

const registry: Readonly<Partial<Record<CloudName, PermissionPolicy>>> = { aws: awsPolicy };

/** Clouds whose least-privilege policies can be printed. */
export const policyClouds = Object.keys(registry) as readonly CloudName[];

/** Returns the policies of a cloud, without loading its provider. */
export function findPolicy(cloud: CloudName): PermissionPolicy | undefined {
  return registry[cloud];
}
