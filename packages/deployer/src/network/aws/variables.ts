import type { AclRule, ExistingNetwork } from "@cloudwright/contract/gen/cloudwright/v1/network_pb.ts";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity, Json, JsonObject } from "../../task.ts";
import { renderTags } from "../../render-tags.ts";
import { awsOf } from "./aws-of.ts";
import { renderLater } from "./later-variables.ts";
import type { ZoneRanges } from "./plan-subnets.ts";
import { findPlace, getRegion } from "./zones.ts";

type Network = DeployedEntity<"Network">;

/** Renders the Terraform variables for network/aws v1.0.0 and later. `outputs` comes from the last apply. */
export function renderVariables(entity: Network, version: string, outputs: JsonObject): Readonly<Record<string, Json>> {
  const { name, project, uid, spec } = entity;
  const region = getRegion(entity);
  return {
    vpc_name: name,
    region,
    ...(spec.existing === undefined ? renderNew(entity, region, version, outputs) : renderExisting(entity, spec.existing)),
    owner: { project, entity: uid },
    tags: renderTags("aws", entity),
  };
}

function renderNew(entity: Network, region: string, version: string, outputs: JsonObject): JsonObject {
  const { cidr, zones } = findPlace(entity, region);
  const aws = awsOf(entity.spec);
  const rangesOf = (role: keyof ZoneRanges): string[] =>
    Object.values(zones).flatMap((ranges) => (ranges[role] === undefined ? [] : [ranges[role]]));
  const nat = entity.spec.nat || "none";
  const publicRanges = rangesOf("public");
  if (nat !== "none" && publicRanges.length === 0) {
    const message = `spec.nat of ${entity.name} is ${nat}, but spec.subnets.public is empty: a NAT gateway needs a public subnet`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  return {
    cidr_range: cidr,
    aws_azs: Object.keys(zones),
    aws_public_subnet_cidrs: publicRanges,
    aws_private_subnet_cidrs: rangesOf("private"),
    aws_eks_controlplane_subnet_cidrs: rangesOf("intra"),
    nat,
    load_balancer_ips: aws.loadBalancerIps,
    s3_endpoint: !aws.withoutS3Endpoint,
    interface_endpoints: aws.interfaceEndpoints,
    network_acl_rules: renderAclRules(entity, aws.aclRules),
    flow_logs: aws.flowLogs ? renderRetention(aws.flowLogRetentionDays) : null,
    ...renderLater(entity, { region, cidr, zones, version, outputs }),
  };
}

function renderRetention(days: number): JsonObject {
  return days === 0 ? {} : { retention_days: days };
}

function renderAclRules({ name }: Network, rules: readonly AclRule[]): JsonObject[] {
  const seen = new Set<string>();
  return rules.map(({ subnets, direction, number, action, protocol, fromPort, toPort, cidr }, index) => {
    const key = `${subnets} ${direction} ${number}`;
    if (seen.has(key)) {
      throw new Fault(deployerFaults.bad_spec, `spec.aws.aclRules[${index}].number of ${name} is used twice: ${key}`);
    }
    seen.add(key);
    const ports = { from_port: fromPort, to_port: toPort };
    return { subnets, direction, number, action, protocol: protocol || "all", ...ports, cidr };
  });
}

function renderExisting({ name }: Network, existing: ExistingNetwork): JsonObject {
  const { id } = existing;
  if (!/^vpc-[0-9a-z]+$/.test(id)) {
    throw new Fault(deployerFaults.bad_spec, `spec.existing.id of ${name} is "${id}"; use a VPC id such as vpc-0a1b2c`);
  }
  const requireSubnets = (field: "publicSubnetIds" | "privateSubnetIds" | "controlPlaneSubnetIds"): string[] => {
    const wrong = existing[field].find((each) => !/^subnet-[0-9a-z]+$/.test(each));
    if (wrong === undefined) return existing[field];
    const message = `spec.existing.${field} of ${name} contains "${wrong}"; use subnet ids such as subnet-0a1b2c`;
    throw new Fault(deployerFaults.bad_spec, message);
  };
  return {
    vpc_id: id,
    public_subnet_ids: requireSubnets("publicSubnetIds"),
    private_subnet_ids: requireSubnets("privateSubnetIds"),
    controlplane_subnet_ids: requireSubnets("controlPlaneSubnetIds"),
  };
}
