import { renderUserData, type InstanceUserData } from "@cloudwright/clouds";
import { getCloud } from "@cloudwright/contract/clouds";
import { Fault } from "@cloudwright/platform";
import type { Blueprint, DesiredResource } from "../../executor/in-process/blueprint.ts";
import { deployerFaults } from "../../faults.ts";
import { getNetwork, type NetworkFacts } from "../../find-network.ts";
import { readUserData, userDataFact } from "../../instance/user-data.ts";
import { textOf, textsOf } from "../../read-spec.ts";
import { renderTags } from "../../render-tags.ts";
import type { DeployedEntity, Surroundings } from "../../task.ts";
import { listGroupIds } from "../list-group-ids.ts";
import { openTypes } from "../open-types.ts";

const type = "aws_instance";
const address = `${type}.this`;
const { regions, machines } = getCloud("aws");

/** One EC2 instance. Attributes have the same names as in the Terraform provider, so that the same policies and previews apply. */
export const awsInstanceBlueprint: Blueprint<"Instance"> = {
  service: "instance",
  cloud: "aws",
  version: "v1.0.0",
  openTypes: (work) => openTypes(work, [type]),
  observe: async (_entity, _around, { secrets }) => readUserData(secrets),
  resources: (entity, _account, around) => [renderInstance(entity, around)],
  outputs(attributesOf, entity, around) {
    const instance = attributesOf(address);
    return {
      instance_id: textOf(instance["id"]),
      is_new: textOf(instance["id"]) !== textOf(around.outputs["instance_id"]),
      private_address: textOf(instance["private_ip"]),
      public_address: textOf(instance["public_ip"]),
      machine_status: textOf(instance["instance_state"]),
      machine_type: textOf(instance["instance_type"]),
      zone: textOf(instance["availability_zone"]),
      user: renderStart(entity, around).user,
      subnet_id: textOf(instance["subnet_id"]),
      region: getNetwork(entity, around).region,
      has_groups: entity.spec.securityGroups.length > 0 || listGivenGroups(entity).length > 0 || hadGroups(around),
    };
  },
  // AWS assigns a new public address whenever a stopped instance starts.
  isChangedByOthers: (_resource, path) => path[0] === "public_ip" || path[0] === "ready",
};

function renderInstance(entity: DeployedEntity<"Instance">, around: Surroundings): DesiredResource {
  const { spec } = entity;
  const groups = listAllGroups(entity, around);
  const { sizeGib = 0, encrypted = true, kmsKey = "" } = spec.rootDisk ?? {};
  if (kmsKey !== "" && !/^arn:[\w-]+:kms:/.test(kmsKey))
    throw new Fault(deployerFaults.bad_spec, `spec.rootDisk.kmsKey of ${entity.name} must be the ARN of a KMS key`);
  return {
    type,
    name: "this",
    attributes: {
      ami: spec.image,
      instance_type: spec.machineType || machines.defaultType,
      subnet_id: chooseSubnet(entity, getNetwork(entity, around), around),
      // An instance that never had a group keeps the VPC's default group. When the last group is removed, it gets the default group again.
      ...(groups.length > 0 || hadGroups(around) ? { vpc_security_group_ids: groups } : {}),
      associate_public_ip_address: spec.publicAddress,
      user_data_base64: renderStart(entity, around).userData,
      root_block_device: [{ volume_size: sizeGib, encrypted }],
      ...(kmsKey === "" ? {} : { root_kms_key_id: kmsKey }),
      metadata_options: [{ http_tokens: spec.metadataTokens || "required" }],
      instance_state: spec.running === false ? "stopped" : "running",
      tags: { Name: entity.name, ...renderTags("aws", entity) },
    },
  };
}

/** Returns the ids of the platform's groups and of the groups that the spec names by id. */
function listAllGroups(entity: DeployedEntity<"Instance">, around: Surroundings): string[] {
  return [...new Set([...listGroupIds(entity, around), ...listGivenGroups(entity)])].toSorted();
}

function listGivenGroups({ spec: { cloud } }: DeployedEntity<"Instance">): readonly string[] {
  return cloud.case === "aws" ? cloud.value.securityGroupIds : [];
}

function hadGroups({ outputs }: Surroundings): boolean {
  return outputs["has_groups"] === true;
}

function renderStart({ spec }: DeployedEntity<"Instance">, around: Surroundings): InstanceUserData {
  const sshKeys = around.references.filter(({ field }) => field === "sshKeys").map((key) => textOf(key.spec["publicKey"]));
  const userData = textOf(around.observed?.[userDataFact]);
  return renderUserData("aws", { image: spec.image, sshKeys, user: spec.user, userData });
}

/**
 * Chooses the subnet: the one that the spec names, or else a public or private subnet in the requested zone. The default is the first
 * zone.
 */
function chooseSubnet({ name, spec }: DeployedEntity<"Instance">, network: NetworkFacts, around: Surroundings): string {
  const { publicSubnetIds, privateSubnetIds, region } = network;
  const known = [...publicSubnetIds, ...privateSubnetIds, ...network.intraSubnetIds];
  if (spec.subnet !== "") {
    if (known.includes(spec.subnet)) return spec.subnet;
    const message = `spec.subnet of ${name} is ${spec.subnet}, which is not a subnet of the network "${network.name}": ${known.join(", ")}`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  const kind = spec.publicAddress ? "public" : "private";
  const candidates = spec.publicAddress ? publicSubnetIds : privateSubnetIds;
  const index = spec.zone === "" ? 0 : listZones(around).indexOf(regions.renderZone(region, spec.zone));
  const chosen = candidates[index];
  if (chosen !== undefined) return chosen;
  const where = spec.zone === "" ? "" : ` in the zone ${spec.zone}`;
  throw new Fault(deployerFaults.bad_spec, `the network "${network.name}" of ${name} has no ${kind} subnet${where}`);
}

/** Lists the zones of a network that the platform built. The network's outputs list its subnets in the same order. */
function listZones({ parents }: Surroundings): readonly string[] {
  return textsOf(parents.find(({ kind }) => kind === "Network")?.outputs["zones"]);
}
