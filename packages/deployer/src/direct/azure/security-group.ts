import { findParent } from "@cloudwright/contract";
import type { SecurityGroupRule } from "@cloudwright/contract/gen/cloudwright/v1/security_group_pb.ts";
import { Fault } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { refer, type Blueprint } from "../../executor/in-process/blueprint.ts";
import { deployerFaults } from "../../faults.ts";
import { textOf } from "../../read-spec.ts";
import { renderTags } from "../../render-tags.ts";
import type { DeployedEntity, Json, JsonObject, Surroundings } from "../../task.ts";
import { openTypes } from "../open-types.ts";
import { findGroupPlace } from "./group-place.ts";
import { uniqueName } from "./names.ts";

type SecurityGroup = DeployedEntity<"SecurityGroup">;

const memberType = "azurerm_application_security_group";
const ruleType = "azurerm_network_security_group";
const [memberAddress, ruleAddress] = [`${memberType}.this`, `${ruleType}.this`] as const;
const healthy = { ready: true, failed: false };
const protocols: Readonly<Record<string, string>> = { tcp: "Tcp", udp: "Udp", icmp: "Icmp", all: "*" };

/**
 * An application security group, whose members are the network interfaces of the instances, and its rules. The rules are in one network
 * security group that all groups of a network share, because a network interface can have only one. So a changed rule is no change of any
 * instance.
 */
export const azureSecurityGroupBlueprint: Blueprint<"SecurityGroup"> = {
  service: "securitygroup",
  cloud: "azure",
  version: "v1.0.0",
  openTypes: (work) => openTypes(work, [memberType, ruleType]),
  resources(entity, account, around) {
    const network = findParent(around, "Network");
    const isExisting = network?.spec.existing !== undefined;
    const place = findGroupPlace(entity, account, around, { uid: network?.uid ?? "", isExisting });
    const common = { resource_group_name: place.resourceGroup, location: place.region, ...healthy };
    return [
      { type: memberType, name: "this", attributes: { name: uniqueName(entity), tags: renderTags("azure", entity), ...common } },
      {
        type: ruleType,
        name: "this",
        attributes: { name: place.sharedName, security_rule: renderRules(entity, around), ordered: true, ...common },
      },
    ];
  },
  outputs: (attributesOf) => ({
    group_id: textOf(attributesOf(memberAddress)["id"]),
    network_security_group_id: textOf(attributesOf(ruleAddress)["network_security_group_id"]),
  }),
  isChangedByOthers: (_resource, path) => path[0] === "ready",
};

const everywhere = { prefix: "*" };

/** One end of a rule: an address range, or the ids of application security groups. */
type End = { readonly prefix: string } | { readonly group: Json };

/**
 * Renders the rules in the order of their names. The last rules deny what no group allows. Outgoing traffic is denied only if the group
 * limits it.
 */
function renderRules(entity: SecurityGroup, around: Surroundings): JsonObject[] {
  const own: End = { group: refer(memberAddress, "id") };
  const allowed = entity.spec.rules.flatMap((rule): JsonObject[] => {
    const peer = findPeer(rule, entity, around);
    // Azure answers ARP requests itself, so these rules have no effect there.
    if (rule.protocol === "arp" || peer === undefined) return [];
    const isEgress = rule.direction === "egress";
    const name = `allow-${hashOf([rule.direction || "ingress", rule.protocol, rule.fromPort, rule.toPort, peer])}`;
    const [source, destination] = isEgress ? [own, peer] : [peer, own];
    return [renderRule(name, { isEgress, access: "Allow", rule }, source, destination)];
  });
  const isLimited = entity.spec.rules.some(({ direction }) => direction === "egress");
  const everything = { protocol: "all", fromPort: 0, toPort: 0 };
  const closed = renderRule("deny-inbound", { isEgress: false, access: "Deny", rule: everything }, everywhere, own);
  const sealed = renderRule("deny-outbound", { isEgress: true, access: "Deny", rule: everything }, own, everywhere);
  const all = [...allowed, closed, ...(isLimited ? [sealed] : [])];
  // Rules that mean the same are one rule.
  return [...new Map(all.map((rule) => [textOf(rule["name"]), rule])).values()].toSorted((one, other) =>
    textOf(one["name"]) < textOf(other["name"]) ? -1 : 1,
  );
}

function renderRule(
  name: string,
  {
    isEgress,
    access,
    rule,
  }: {
    readonly isEgress: boolean;
    readonly access: "Allow" | "Deny";
    readonly rule: Pick<SecurityGroupRule, "protocol" | "fromPort" | "toPort">;
  },
  source: End,
  destination: End,
): JsonObject {
  const prefixOf = (end: End): string => ("prefix" in end ? end.prefix : "");
  const groupsOf = (end: End): Json[] => ("group" in end ? [end.group] : []);
  return {
    name,
    direction: isEgress ? "Outbound" : "Inbound",
    access,
    protocol: protocols[rule.protocol] ?? "*",
    source_port_range: "*",
    destination_port_range: renderPorts(rule),
    source_address_prefix: prefixOf(source),
    source_application_security_group_ids: groupsOf(source),
    destination_address_prefix: prefixOf(destination),
    destination_application_security_group_ids: groupsOf(destination),
  };
}

function renderPorts({ fromPort, toPort }: Pick<SecurityGroupRule, "fromPort" | "toPort">): string {
  const last = toPort || fromPort;
  if (last === 0) return "*";
  return fromPort === last ? String(fromPort) : `${fromPort}-${last}`;
}

/**
 * Returns the peer of a rule. Returns undefined for a group that has not been built yet. Azure would reject its id, and it has no
 * instances. As soon as it is built, this group is built again, because its outputs have changed.
 */
function findPeer({ cidr, group }: SecurityGroupRule, { name }: SecurityGroup, { references }: Surroundings): End | undefined {
  if (group === "") return { prefix: maskRange(cidr) };
  if (group === "self") return { group: refer(memberAddress, "id") };
  const found = references.find((reference) => reference.field === "rules.group" && reference.name === group);
  if (found === undefined)
    throw new Fault(deployerFaults.bad_spec, `a rule of ${name} names the security group "${group}", which does not exist`);
  const id = textOf(found.outputs["group_id"]);
  return id === "" ? undefined : { group: id };
}

/** Returns a range without the bits that its prefix does not cover, because Azure rejects such ranges. */
function maskRange(cidr: string): string {
  const [address = "", length = "32"] = cidr.split("/");
  const bits = Number(length);
  const number = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - bits);
  const first = Math.floor(number / size) * size;
  const parts = [24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256);
  return `${parts.join(".")}/${bits}`;
}

function hashOf(content: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 12);
}
