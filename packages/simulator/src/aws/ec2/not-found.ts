import type { Refusal } from "../refusal.ts";
import type { Reference } from "../resource.ts";

/** EC2's errors for ids that do not exist. */
export const notFound = {
  vpc: (id: string): Refusal => ({ code: "InvalidVpcID.NotFound", message: `The vpc ID '${id}' does not exist` }),
  subnet: (id: string): Refusal => ({ code: "InvalidSubnetID.NotFound", message: `The subnet ID '${id}' does not exist` }),
  group: (id: string): Refusal => ({ code: "InvalidGroup.NotFound", message: `The security group '${id}' does not exist` }),
  routeTable: (id: string): Refusal => ({
    code: "InvalidRouteTableID.NotFound",
    message: `The routeTable ID '${id}' does not exist`,
  }),
  allocation: (id: string): Refusal => ({
    code: "InvalidAllocationID.NotFound",
    message: `The allocation ID '${id}' does not exist`,
  }),
  gateway: (id: string): Refusal => ({ code: "InvalidGatewayID.NotFound", message: `The gateway ID '${id}' does not exist` }),
  nat: (id: string): Refusal => ({ code: "InvalidNatGatewayID.NotFound", message: `The natGateway ID '${id}' does not exist` }),
  acl: (id: string): Refusal => ({
    code: "InvalidNetworkAclID.NotFound",
    message: `The networkAcl ID '${id}' does not exist`,
  }),
  instance: (id: string): Refusal => ({
    code: "InvalidInstanceID.NotFound",
    message: `The instance ID '${id}' does not exist`,
  }),
  volume: (id: string): Refusal => ({ code: "InvalidVolume.NotFound", message: `The volume '${id}' does not exist.` }),
  template: (id: string): Refusal => ({
    code: "InvalidLaunchTemplateId.NotFound",
    message: `The specified launch template, with template ID ${id}, does not exist.`,
  }),
} as const;

/** A reference to a VPC. It blocks the deletion of the VPC. */
export const inVpc: Reference = { path: "vpc_id", to: ["aws_vpc"], missing: notFound.vpc, tie: "holds" };

/**
 * Creates a reference to security groups that blocks their deletion. Default groups are exempt, because they are deleted with their VPC or
 * cluster.
 */
export function ofGroups(path: string): Reference {
  return { path, to: ["aws_security_group"], tie: "holds" };
}
