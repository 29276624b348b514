import { listOf, objectOf, textOf, type JsonObject } from "@cloudwright/platform/json";
import { createCloudFault, refuseRequest } from "../../library/errors.ts";

/** A rule as Azure returns it. */
export interface SecurityRule {
  readonly name?: string;
  readonly properties?: SecurityRuleProperties;
}

interface SecurityRuleProperties {
  readonly priority?: number;
  readonly direction?: string;
  readonly access?: string;
  readonly protocol?: string;
  readonly sourcePortRange?: string;
  readonly destinationPortRange?: string;
  readonly destinationPortRanges?: readonly string[];
  readonly sourceAddressPrefix?: string;
  readonly sourceAddressPrefixes?: readonly string[];
  readonly destinationAddressPrefix?: string;
  readonly destinationAddressPrefixes?: readonly string[];
  readonly sourceApplicationSecurityGroups?: readonly { readonly id?: string }[];
  readonly destinationApplicationSecurityGroups?: readonly { readonly id?: string }[];
}

/** Tag that marks a network security group whose rules belong to several entities. Its value is the group's name. */
export const sharedTag = "cloudwright:security-groups";

/** The rule that every group has. It shows that the group uses the network security group. */
export const markerName = "deny-inbound";

const prefix = "cloudwright-";
const baseName = `${prefix}base-deny-inbound`;
const mostRules = 1000;

/**
 * Priorities by what a rule does. Every rule that allows traffic precedes every rule that denies it, whichever groups they belong to. So an
 * instance accepts what any of its groups allows.
 */
const ranges = { Allow: { first: 100, last: 2999 }, Deny: { first: 3000, last: 4095 } } as const;
const basePriority = 4096;

/** Denies what no group allows. It also protects instances whose groups have lost their rules. */
const baseRule: SecurityRule = {
  name: baseName,
  properties: {
    priority: basePriority,
    direction: "Inbound",
    access: "Deny",
    protocol: "*",
    sourcePortRange: "*",
    destinationPortRange: "*",
    sourceAddressPrefix: "*",
    destinationAddressPrefix: "*",
  },
};

/** The entity that a rule belongs to, and the name of the desired resource that it was created for. */
export interface RuleOwner {
  readonly uid: string;
  readonly part: string;
}

/** Returns the name in Azure of one of an entity's rules. Rules have no tags, so their names tell whose they are. */
export function renderRuleName({ uid, part }: RuleOwner, name: string): string {
  return `${prefix}${uid}-${part}-${name}`;
}

const markerForm = /^cloudwright-(?<uid>[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})-(?<part>.+)-deny-inbound$/i;

/** Reads the owner from the name of the rule that every group has. Returns undefined for other rules. */
export function readMarker(name: string): RuleOwner | undefined {
  const { uid, part } = markerForm.exec(name)?.groups ?? {};
  return uid === undefined || part === undefined ? undefined : { uid: uid.toLowerCase(), part };
}

/** Returns an entity's rules from the rules of a network security group. */
export function pickOwn(rules: readonly SecurityRule[], entityUid: string): readonly SecurityRule[] {
  const own = `${prefix}${entityUid}-`.toLowerCase();
  return rules.filter(({ name = "" }) => name.toLowerCase().startsWith(own));
}

/** Returns the owners of all groups that have rules here. */
export function listGroups(rules: readonly SecurityRule[]): readonly RuleOwner[] {
  return rules.flatMap(({ name = "" }) => readMarker(name) ?? []);
}

/** Returns the rules without those of an entity. */
function withoutOwn(rules: readonly SecurityRule[], entityUid: string): readonly SecurityRule[] {
  const own = new Set(pickOwn(rules, entityUid));
  return rules.filter((rule) => !own.has(rule)).map(toBody);
}

/**
 * Returns the rules without those of an entity, and without the rules of others that name its application security group. The group has no
 * members any more, and Azure does not delete a group that rules name.
 */
export function withoutGroup(rules: readonly SecurityRule[], entityUid: string): readonly SecurityRule[] {
  const own = new Set(
    pickOwn(rules, entityUid)
      .filter(({ name = "" }) => readMarker(name) !== undefined)
      .flatMap(({ properties }) => listIds(properties?.destinationApplicationSecurityGroups)),
  );
  const isForeign = ({ properties }: SecurityRule): boolean => listPeers(properties).every((id) => !own.has(id));
  return withoutOwn(rules, entityUid).filter(isForeign);
}

/** Returns the application security groups at the other end of a rule. */
function listPeers({ direction, ...ends }: SecurityRuleProperties = {}): string[] {
  return listIds(direction === "Inbound" ? ends.sourceApplicationSecurityGroups : ends.destinationApplicationSecurityGroups);
}

function listIds(groups: readonly { readonly id?: string }[] = []): string[] {
  return groups.map(({ id = "" }) => id.toLowerCase());
}

/**
 * Replaces the entity's rules with the desired ones. A rule that stays keeps its priority. New rules get the lowest free priority. Throws
 * if there are more rules than Azure allows.
 */
export function withOwn(rules: readonly SecurityRule[], owner: RuleOwner, desired: unknown): readonly SecurityRule[] {
  const before = new Map(pickOwn(rules, owner.uid).map((rule) => [rule.name?.toLowerCase(), rule]));
  const others = withoutOwn(rules, owner.uid).filter(({ name }) => name !== baseName);
  const wanted = listOf(desired).map((block) => toRule(objectOf(block) as JsonObject, owner));
  if (others.length + wanted.length + 1 > mostRules) {
    const message = `the security groups of the network would have ${others.length + wanted.length + 1} rules, but Azure allows ${mostRules}; remove rules, or combine ports and ranges`;
    throw createCloudFault(message, { cloud: "azure", category: "quota" });
  }
  const taken = new Set(others.map(slotOf));
  const kept = wanted.map((rule): SecurityRule => {
    const { priority } = before.get(rule.name?.toLowerCase())?.properties ?? {};
    const same: SecurityRule = { ...rule, properties: { ...rule.properties, ...(priority === undefined ? {} : { priority }) } };
    if (!isInRange(same) || taken.has(slotOf(same))) return rule;
    taken.add(slotOf(same));
    return same;
  });
  return [...others, ...kept.map((rule) => giveSlot(rule, taken)), baseRule];
}

function giveSlot(rule: SecurityRule, taken: Set<string>): SecurityRule {
  if (rule.properties?.priority !== undefined) return rule;
  const { first, last } = rangeOf(rule);
  for (let priority = first; priority <= last; priority++) {
    const placed = { ...rule, properties: { ...rule.properties, priority } };
    if (taken.has(slotOf(placed))) continue;
    taken.add(slotOf(placed));
    return placed;
  }
  const message = `the network has no free priority between ${first} and ${last} for another rule; remove rules from its security groups`;
  throw createCloudFault(message, { cloud: "azure", category: "quota" });
}

/** Azure lets two rules have the same priority only if their directions differ. */
function slotOf({ properties }: SecurityRule): string {
  return `${properties?.direction} ${properties?.priority}`;
}

function rangeOf({ properties }: SecurityRule): { readonly first: number; readonly last: number } {
  return properties?.access === "Deny" ? ranges.Deny : ranges.Allow;
}

/** Returns whether a rule's priority is in the range for its kind of rule. */
export function isInRange(rule: SecurityRule): boolean {
  const { first, last } = rangeOf(rule);
  const { priority = 0 } = rule.properties ?? {};
  return priority >= first && priority <= last;
}

function toRule(block: JsonObject, owner: RuleOwner): SecurityRule {
  const name = textOf(block["name"]);
  if (name === "") throw refuseRequest("azure", "each security_rule needs a name");
  const end = (
    prefixName: string,
    groupsName: string,
  ): { readonly prefix?: string; readonly groups?: { readonly id: string }[] } => {
    const groups = listOf(block[groupsName]).map((id) => ({ id: textOf(id) }));
    return groups.length > 0 ? { groups } : { prefix: textOf(block[prefixName]) };
  };
  const source = end("source_address_prefix", "source_application_security_group_ids");
  const destination = end("destination_address_prefix", "destination_application_security_group_ids");
  return {
    name: renderRuleName(owner, name),
    properties: {
      direction: textOf(block["direction"]),
      access: textOf(block["access"]),
      protocol: textOf(block["protocol"]),
      sourcePortRange: textOf(block["source_port_range"]),
      destinationPortRange: textOf(block["destination_port_range"]),
      ...(source.prefix === undefined ? {} : { sourceAddressPrefix: source.prefix }),
      ...(source.groups === undefined ? {} : { sourceApplicationSecurityGroups: source.groups }),
      ...(destination.prefix === undefined ? {} : { destinationAddressPrefix: destination.prefix }),
      ...(destination.groups === undefined ? {} : { destinationApplicationSecurityGroups: destination.groups }),
    },
  };
}

/** Renders one of an entity's rules in Terraform's names. `spell` returns a group's id in the usual spelling. */
export function toBlock(
  { name = "", properties = {} }: SecurityRule,
  owner: RuleOwner,
  spell: (id: string) => string,
): JsonObject {
  const idsOf = (groups: readonly { readonly id?: string }[] = []): string[] => groups.map(({ id = "" }) => spell(id)).toSorted();
  const join = (one = "", several: readonly string[] = []): string => one || several.toSorted().join(",");
  return {
    name: name.slice(renderRuleName(owner, "").length),
    direction: properties.direction ?? "",
    access: properties.access ?? "",
    protocol: properties.protocol ?? "",
    source_port_range: properties.sourcePortRange ?? "",
    destination_port_range: join(properties.destinationPortRange, properties.destinationPortRanges),
    source_address_prefix: join(properties.sourceAddressPrefix, properties.sourceAddressPrefixes),
    source_application_security_group_ids: idsOf(properties.sourceApplicationSecurityGroups),
    destination_address_prefix: join(properties.destinationAddressPrefix, properties.destinationAddressPrefixes),
    destination_application_security_group_ids: idsOf(properties.destinationApplicationSecurityGroups),
  };
}

/** Returns a rule that can be sent back: without its id, its ETag and its state. */
function toBody({ name = "", properties = {} }: SecurityRule): SecurityRule {
  const { provisioningState: _state, ...kept } = properties as SecurityRuleProperties & { readonly provisioningState?: string };
  return { name, properties: kept };
}
