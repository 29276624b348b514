import { orderBlocks } from "@cloudwright/clouds";
import type { SecurityGroupRule } from "@cloudwright/contract/gen/cloudwright/v1/security_group_pb.ts";
import { Fault } from "@cloudwright/platform";
import type { Blueprint } from "../../executor/in-process/blueprint.ts";
import { deployerFaults } from "../../faults.ts";
import { getNetwork } from "../../find-network.ts";
import { textOf } from "../../read-spec.ts";
import { renderTags } from "../../render-tags.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import { openTypes } from "../open-types.ts";

type Group = DeployedEntity<"SecurityGroup">;

const type = "aws_security_group";
const address = `${type}.this`;
const lastPort = 65_535;

/** Fields of a rule, as Terraform represents it. Each rule has a single source or destination. */
const emptyRule: JsonObject = {
  protocol: "",
  from_port: 0,
  to_port: 0,
  cidr_blocks: [],
  ipv6_cidr_blocks: [],
  prefix_list_ids: [],
  security_groups: [],
  self: false,
};

/** Without an egress rule, the instances of a group may connect to everything. */
const openEgress: JsonObject = { ...emptyRule, protocol: "-1", cidr_blocks: ["0.0.0.0/0"] };

/** An EC2 security group in the network's VPC. */
export const awsSecurityGroupBlueprint: Blueprint<"SecurityGroup"> = {
  service: "securitygroup",
  cloud: "aws",
  version: "v1.0.0",
  openTypes: (work) => openTypes(work, [type]),
  resources(entity, _account, around) {
    const { networkId } = getNetwork(entity, around);
    if (networkId === "")
      throw new Fault(deployerFaults.bad_spec, `the network "${entity.spec.network}" of ${entity.name} has not been built yet`);
    const render = (direction: "ingress" | "egress"): JsonObject[] =>
      entity.spec.rules
        .filter((rule) => (rule.direction || "ingress") === direction)
        // EC2 always answers ARP requests itself, so ARP is never blocked.
        .filter(({ protocol }) => protocol !== "arp")
        .map((rule) => renderRule(rule, entity, around));
    const hasEgress = entity.spec.rules.some(({ direction }) => direction === "egress");
    return [
      {
        type,
        name: "this",
        attributes: {
          // EC2 reserves names that start with "sg-".
          name: `cloudwright-${entity.name}-${entity.uid.replaceAll("-", "").slice(-8)}`,
          description: "Managed by Cloudwright",
          vpc_id: networkId,
          ingress: orderBlocks(render("ingress")),
          egress: orderBlocks(hasEgress ? render("egress") : [openEgress]),
          tags: { Name: entity.name, ...renderTags("aws", entity) },
        },
      },
    ];
  },
  outputs: (attributesOf) => ({ group_id: textOf(attributesOf(address)["id"]) }),
};

function renderRule(rule: SecurityGroupRule, entity: Group, around: Surroundings): JsonObject {
  const { cidr, group } = rule;
  const peer =
    cidr !== ""
      ? { cidr_blocks: [cidr] }
      : group === "self"
        ? { self: true }
        : { security_groups: [findPeer(group, entity, around)] };
  return { ...emptyRule, ...renderPorts(rule), ...peer };
}

function renderPorts({ protocol, fromPort, toPort }: SecurityGroupRule): JsonObject {
  if (protocol === "all") return { protocol: "-1", from_port: 0, to_port: 0 };
  // For ICMP, EC2 uses these fields for the type and the code. -1 means all.
  if (protocol === "icmp") return { protocol, from_port: -1, to_port: -1 };
  const isEveryPort = fromPort === 0 && toPort === 0;
  return { protocol, from_port: fromPort, to_port: isEveryPort ? lastPort : toPort || fromPort };
}

/** Returns the uid of the group that a rule names. Groups can refer to each other, so the other group may not have been built yet. */
function findPeer(group: string, { name }: Group, { references }: Surroundings): string {
  const found = references.find((reference) => reference.field === "rules.group" && reference.name === group);
  if (found !== undefined) return found.uid;
  throw new Fault(deployerFaults.bad_spec, `a rule of ${name} names the security group "${group}", which does not exist`);
}
