import type { CloudRecord } from "../../inventory/inventory.ts";
import type { HookContext } from "../../provider/definition.ts";
import { textOf } from "../../values/read-value.ts";
import type { Value, ValueMap } from "../../values/value.ts";
import { checkName, findParent, missingParent } from "../names.ts";
import type { Refusal } from "../refusal.ts";
import { inGroup, type AzureChange, type AzureResource, type Reference } from "../resource.ts";
import { checkInlineRules } from "./check-inline-rules.ts";

const parent = {
  type: "azurerm_network_security_group",
  segment: "networkSecurityGroups",
  nameAttribute: "network_security_group_name",
} as const;

/** Returns the references of a rule to application security groups. `prefix` is the path of the rule. */
function listGroupTies(prefix: string): readonly Reference[] {
  return ["source", "destination"].map((end) => ({
    path: `${prefix}${end}_application_security_group_ids`,
    to: ["azurerm_application_security_group"],
    tie: "holds",
  }));
}

const group: AzureResource = {
  noun: "Network Security Group",
  path: `${inGroup}/Microsoft.Network/networkSecurityGroups/{name}`,
  takes: { create: 3, update: 2, delete: 5 },
  limits: [
    {
      quota: "network-security-groups-per-region",
      within: "location",
      refusal: (limit) => ({
        code: "NetworkSecurityGroupCountLimitReached",
        message: `Cannot create more than ${limit} network security groups for this subscription in this region.`,
      }),
    },
  ],
  held: (id, holder) => ({
    code: "InUseNetworkSecurityGroupCannotBeDeleted",
    message: `Network security group ${id} cannot be deleted because it is in use by the following resources: ${holder.id}.`,
  }),
  names: listGroupTies("security_rule."),
  check: async ({ operation, planned }, context) => {
    if (operation === "delete") return [];
    const wrongName = checkName(planned, 80);
    return wrongName.length > 0 ? wrongName : checkInlineRules(planned, context);
  },
  compute: ({ planned }) => ({ security_rule: planned["security_rule"] ?? [] }),
  read: async ({ id, attributes }, context) => {
    const rules = await listRules(id, context);
    return rules.length === 0 ? attributes : { ...attributes, security_rule: rules.map(describeRule) };
  },
};

const ruleFields = [
  "access",
  "description",
  "destination_address_prefix",
  "destination_address_prefixes",
  "destination_application_security_group_ids",
  "destination_port_range",
  "destination_port_ranges",
  "direction",
  "name",
  "priority",
  "protocol",
  "source_address_prefix",
  "source_address_prefixes",
  "source_application_security_group_ids",
  "source_port_range",
  "source_port_ranges",
];

function describeRule({ attributes }: CloudRecord): Record<string, Value> {
  return Object.fromEntries(ruleFields.map((name) => [name, attributes[name] ?? (/(es|ids)$/.test(name) ? [] : "")]));
}

const rule: AzureResource = {
  noun: "Security Rule",
  names: listGroupTies(""),
  path: `${inGroup}/Microsoft.Network/networkSecurityGroups/{network_security_group_name}/securityRules/{name}`,
  takes: { create: 2, update: 2, delete: 2 },
  limits: [
    {
      quota: "rules-per-network-security-group",
      within: "network_security_group_name",
      refusal: (limit) => ({
        code: "MaxNumberOfSecurityRulesReached",
        message: `Cannot create more than ${limit} security rules in a network security group.`,
      }),
    },
  ],
  check: (change, context) => (change.operation === "delete" ? [] : checkRule(change, context)),
};

async function checkRule({ id, planned }: AzureChange, context: HookContext): Promise<readonly Refusal[]> {
  const found = await findParent(planned, parent, context);
  if (found === undefined) return [missingParent(planned, parent.segment, parent.nameAttribute)];
  const wrongName = checkName(planned, 80);
  if (wrongName.length > 0) return wrongName;
  const { name, priority, direction } = planned;
  if (typeof priority !== "number" || priority < 100 || priority > 4096) {
    const message = `Security rule ${textOf(name)} has invalid priority. The value must be between 100 and 4096.`;
    return [{ code: "SecurityRuleInvalidPriority", message, path: ["priority"] }];
  }
  const isSame = (attributes: ValueMap): boolean => attributes["priority"] === priority && attributes["direction"] === direction;
  const twin = (await listRules(found.id, context)).find((other) => other.id !== id && isSame(other.attributes));
  if (twin === undefined) return [];
  const message = `Security rule ${textOf(name)} conflicts with rule ${textOf(twin.attributes["name"])}. Rules cannot have the same Priority and Direction.`;
  return [{ code: "SecurityRuleConflict", message, path: ["priority"] }];
}

async function listRules(groupId: string, context: HookContext): Promise<readonly CloudRecord[]> {
  return (await context.list("azurerm_network_security_rule")).filter((record) =>
    record.id.startsWith(`${groupId}/securityRules/`),
  );
}

/** The security group resource types. */
export const securityGroups = { azurerm_network_security_group: group, azurerm_network_security_rule: rule } as const;
