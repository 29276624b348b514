import { listSpecProblems } from "@cloudwright/contract/clouds";
import { renderGroupTag } from "@cloudwright/contract/clouds/gcp/security-groups";
import type { SecurityGroupRule } from "@cloudwright/contract/gen/cloudwright/v1/security_group_pb.ts";
import { Fault, trimEnd } from "@cloudwright/platform";
import { addressOf, type Blueprint, type DesiredResource } from "../../executor/in-process/blueprint.ts";
import { deployerFaults } from "../../faults.ts";
import { getNetwork } from "../../find-network.ts";
import { refuseProblems } from "../../refuse-problems.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import { openTypes } from "../open-types.ts";

type SecurityGroup = DeployedEntity<"SecurityGroup">;
type Direction = "ingress" | "egress";

const type = "google_compute_firewall";

/**
 * Lower numbers take precedence. What one group of an instance allows must not be denied by another one. All of these rules precede rules
 * with the default priority of 1000, such as the network's own rule that allows all traffic within the network.
 */
const priorities = { allow: 800, deny: 900 };

/** The number of source tags that Compute Engine allows per firewall rule. */
const mostSourceTags = 30;

const everywhere = ["0.0.0.0/0"];

/** Firewall rules of the network for all instances with the group's network tag. */
export const gcpSecurityGroupBlueprint: Blueprint<"SecurityGroup"> = {
  service: "securitygroup",
  cloud: "gcp",
  version: "v1.0.0",
  openTypes: (work) => openTypes(work, [type]),
  resources(entity, _account, around) {
    const { name, spec } = entity;
    refuseProblems(name, listSpecProblems("gcp", "SecurityGroup", { name, spec: { ...spec }, owner: {}, region: "" }));
    const network = findNetworkId(entity, around);
    const tag = renderGroupTag(entity.uid);
    const render = (suffix: string, attributes: JsonObject, needs: readonly string[] = []): DesiredResource => ({
      type,
      name: suffix,
      needs,
      attributes: {
        name: renderName(entity, suffix),
        network,
        source_ranges: [],
        source_tags: [],
        destination_ranges: [],
        target_tags: [tag],
        allow: [],
        deny: [],
        disabled: false,
        ...attributes,
      },
    });
    const [ingress, egress] = (["ingress", "egress"] as const).map((direction) =>
      listAllowed(direction, entity, around).map(([suffix, attributes]) => render(suffix, attributes)),
    );
    const everything = { priority: priorities.deny, deny: [{ protocol: "all", ports: [] }] };
    const closed = render("ingress-deny", { ...everything, direction: "INGRESS", source_ranges: everywhere });
    // The traffic that stays allowed is not interrupted: it is allowed before everything else is denied, and until nothing is denied.
    const needs = (egress ?? []).map(addressOf);
    const sealed = render("egress-deny", { ...everything, direction: "EGRESS", destination_ranges: everywhere }, needs);
    const isLimited = spec.rules.some(({ direction }) => direction === "egress");
    return [closed, ...(ingress ?? []), ...(egress ?? []), ...(isLimited ? [sealed] : [])];
  },
  outputs: (_attributesOf, entity) => ({ group_id: renderGroupTag(entity.uid) }),
};

function findNetworkId(entity: SecurityGroup, around: Surroundings): string {
  const { name, networkId } = getNetwork(entity, around);
  if (networkId !== "") return networkId;
  throw new Fault(deployerFaults.bad_spec, `the network "${name}" of ${entity.name} has not been built yet`);
}

/** Renders a name that is unique in the project. It ends with a part of the group's uid and the purpose of the rule. */
function renderName({ name, uid }: SecurityGroup, suffix: string): string {
  return `${trimEnd(name.slice(0, 27), "-")}-${uid.replaceAll("-", "").slice(-8)}-${suffix}`;
}

interface Traffic {
  readonly allow: JsonObject;
  readonly ranges: Set<string>;
  readonly tags: Set<string>;
}

/**
 * Returns the firewall rules that allow the group's traffic in one direction: one for each protocol and port range, with all of its sources or
 * destinations. Their names do not depend on the sources, so that another source is a change in place.
 */
function listAllowed(direction: Direction, entity: SecurityGroup, around: Surroundings): [suffix: string, JsonObject][] {
  const found = new Map<string, Traffic>();
  for (const rule of entity.spec.rules) {
    // Google Cloud answers ARP requests itself, whatever the firewall rules are.
    if ((rule.direction || "ingress") !== direction || rule.protocol === "arp") continue;
    const ports = renderPorts(rule);
    const suffix = [direction, rule.protocol, ...ports].join("-");
    const traffic = found.get(suffix) ?? { allow: { protocol: rule.protocol, ports }, ranges: new Set(), tags: new Set() };
    found.set(suffix, traffic);
    if (rule.group === "") traffic.ranges.add(rule.cidr);
    else traffic.tags.add(findTag(rule.group, entity, around));
  }
  return [...found].flatMap(([suffix, { allow, ranges, tags }]) => {
    const common = { direction: direction.toUpperCase(), priority: priorities.allow, allow: [allow] };
    const [addresses, all] = [[...ranges].toSorted(), [...tags].toSorted()];
    if (direction === "egress") return [[suffix, { ...common, destination_ranges: addresses }] as [string, JsonObject]];
    const count = Math.max(1, Math.ceil(all.length / mostSourceTags));
    return Array.from({ length: count }, (_, index): [string, JsonObject] => {
      const tagsHere = all.slice(index * mostSourceTags, (index + 1) * mostSourceTags);
      const sources = { source_ranges: index === 0 ? addresses : [], source_tags: tagsHere };
      return [index === 0 ? suffix : `${suffix}-${String.fromCodePoint(0x61 + index)}`, { ...common, ...sources }];
    });
  });
}

function renderPorts({ protocol, fromPort, toPort }: SecurityGroupRule): string[] {
  const last = toPort || fromPort;
  if ((protocol !== "tcp" && protocol !== "udp") || last === 0) return [];
  return [last === fromPort ? String(fromPort) : `${fromPort}-${last}`];
}

/** Returns the tag of the group that a rule names. Groups can refer to each other, so the other group may not have been built yet. */
function findTag(group: string, { name, uid }: SecurityGroup, { references }: Surroundings): string {
  if (group === "self") return renderGroupTag(uid);
  const found = references.find((reference) => reference.field === "rules.group" && reference.name === group);
  if (found !== undefined) return renderGroupTag(found.uid);
  throw new Fault(deployerFaults.bad_spec, `a rule of ${name} names the security group "${group}", which does not exist`);
}
