import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { numberOf, objectOf, textOf, textsOf } from "../../read-spec.ts";
import type { DeployedEntity, Json, JsonObject } from "../../task.ts";
import type { ZoneRanges } from "./plan-subnets.ts";
import { findPlace, getRegion } from "./zones.ts";

/** The variables of network/aws from v1.0.0 on. */
export function renderVariables(entity: DeployedEntity): Readonly<Record<string, Json>> {
  const { name, project, uid, labels, spec } = entity;
  const region = getRegion(entity);
  return {
    vpc_name: name,
    region,
    ...(spec["existing"] === undefined ? renderNew(entity, region) : renderExisting(entity, objectOf(spec["existing"]))),
    owner: { project, entity: uid },
    tags: { ...labels },
  };
}

function renderNew(entity: DeployedEntity, region: string): JsonObject {
  const { spec } = entity;
  const { cidr, zones } = findPlace(entity, region);
  const aws = objectOf(spec["aws"]);
  const retention = numberOf(aws["flowLogRetentionDays"]);
  const rangesOf = (role: keyof ZoneRanges): string[] =>
    Object.values(zones).flatMap((ranges) => (ranges[role] === undefined ? [] : [ranges[role]]));
  const nat = textOf(spec["nat"]) || "none";
  const publicRanges = rangesOf("public");
  if (nat !== "none" && publicRanges.length === 0) {
    const message = `spec.nat of ${entity.name} is ${nat}, but spec.subnets.public is empty: a gateway stands in a public subnet`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  return {
    cidr_range: cidr,
    aws_azs: Object.keys(zones),
    aws_public_subnet_cidrs: publicRanges,
    aws_private_subnet_cidrs: rangesOf("private"),
    aws_eks_controlplane_subnet_cidrs: rangesOf("intra"),
    nat,
    load_balancer_ips: numberOf(aws["loadBalancerIps"]),
    s3_endpoint: aws["withoutS3Endpoint"] !== true,
    interface_endpoints: textsOf(aws["interfaceEndpoints"]),
    network_acl_rules: renderAclRules(entity, aws["aclRules"]),
    flow_logs: aws["flowLogs"] === true ? (retention === 0 ? {} : { retention_days: retention }) : null,
  };
}

function renderAclRules({ name }: DeployedEntity, rules: Json | undefined): JsonObject[] {
  const seen = new Set<string>();
  return (Array.isArray(rules) ? rules : []).map((each, index) => {
    const rule = objectOf(each);
    const [subnets, direction, number] = [textOf(rule["subnets"]), textOf(rule["direction"]), numberOf(rule["number"])];
    const key = `${subnets} ${direction} ${number}`;
    if (seen.has(key)) {
      throw new Fault(deployerFaults.bad_spec, `spec.aws.aclRules[${index}].number of ${name} is taken: ${key} comes twice`);
    }
    seen.add(key);
    return {
      subnets,
      direction,
      number,
      action: textOf(rule["action"]),
      protocol: textOf(rule["protocol"]) || "all",
      from_port: numberOf(rule["fromPort"]),
      to_port: numberOf(rule["toPort"]),
      cidr: textOf(rule["cidr"]),
    };
  });
}

function renderExisting({ name }: DeployedEntity, existing: JsonObject): JsonObject {
  const id = textOf(existing["id"]);
  if (!/^vpc-[0-9a-z]+$/.test(id)) {
    throw new Fault(deployerFaults.bad_spec, `spec.existing.id of ${name} is "${id}", not the id of a VPC such as vpc-0a1b2c`);
  }
  const subnets = (["publicSubnetIds", "privateSubnetIds", "controlPlaneSubnetIds"] as const).map((field) => {
    const ids = textsOf(existing[field]);
    const stranger = ids.find((each) => !/^subnet-[0-9a-z]+$/.test(each));
    if (stranger === undefined) return ids;
    const message = `spec.existing.${field} of ${name} has "${stranger}", which is not the id of a subnet such as subnet-0a1b2c`;
    throw new Fault(deployerFaults.bad_spec, message);
  });
  const [publicIds = [], privateIds = [], controlPlaneIds = []] = subnets;
  return {
    vpc_id: id,
    public_subnet_ids: publicIds,
    private_subnet_ids: privateIds,
    controlplane_subnet_ids: controlPlaneIds,
  };
}
