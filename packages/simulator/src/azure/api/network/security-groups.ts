import { isObject, listOf, objectOf, textOf, textsOf } from "@cloudwright/platform";
import type { ApiOperation } from "../../../api/api-service.ts";
import type { ResourceMapping } from "../../../api/map-fields.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { mapOf } from "../../../values/read-value.ts";
import { isList, type Value, type ValueMap } from "../../../values/value.ts";
import { guid } from "../../place.ts";
import { listArmOperations } from "../arm-kind.ts";
import { etagOf } from "../arm-resources.ts";

/** The fields of a network security group. */
export const securityGroupMapping: ResourceMapping = {
  type: "azurerm_network_security_group",
  model: "NetworkSecurityGroup",
  fields: [{ api: "properties.securityRules", attribute: "security_rule", read: toRules, write: fromRules }],
};

/** Operations on network security groups. */
export const securityGroupOperations: readonly ApiOperation[] = listArmOperations({
  mapping: securityGroupMapping,
  path: "Microsoft.Network/networkSecurityGroups/{networkSecurityGroupName}",
  title: "NetworkSecurityGroups",
  creating: "Updating",
  // A thousand rules, which is the usual limit, with names and ids of the usual length.
  mostBytes: 1024 * 1024,
  complete: (_call, record, rendered) => ({
    ...rendered,
    etag: `W/"${etagOf(record.attributes)}"`,
    properties: { ...objectOf(rendered["properties"]), resourceGuid: guid(record.id) },
  }),
});

const single = {
  access: "access",
  direction: "direction",
  protocol: "protocol",
  description: "description",
  sourceAddressPrefix: "source_address_prefix",
  sourcePortRange: "source_port_range",
  destinationAddressPrefix: "destination_address_prefix",
  destinationPortRange: "destination_port_range",
} as const;

const several = {
  sourceAddressPrefixes: "source_address_prefixes",
  sourcePortRanges: "source_port_ranges",
  destinationAddressPrefixes: "destination_address_prefixes",
  destinationPortRanges: "destination_port_ranges",
} as const;

const groups = {
  sourceApplicationSecurityGroups: "source_application_security_group_ids",
  destinationApplicationSecurityGroups: "destination_application_security_group_ids",
} as const;

function toRules(value: Value, { id }: CloudRecord): unknown {
  return (isList(value) ? value : []).map(mapOf).map((rule) => {
    const texts = Object.entries(single).flatMap(([api, name]) => (textOf(rule[name]) === "" ? [] : [[api, rule[name]]]));
    const lists = Object.entries(several).map(([api, name]) => [api, textsOf(rule[name]).toSorted()]);
    const members = Object.entries(groups).flatMap(([api, name]) => {
      const ids = textsOf(rule[name]).toSorted();
      return ids.length === 0 ? [] : [[api, ids.map((groupId) => ({ id: groupId }))]];
    });
    return {
      id: `${id}/securityRules/${textOf(rule["name"])}`,
      name: rule["name"],
      type: "Microsoft.Network/networkSecurityGroups/securityRules",
      properties: {
        provisioningState: "Succeeded",
        priority: rule["priority"],
        ...Object.fromEntries([...texts, ...lists, ...members]),
      } as Record<string, unknown>,
    };
  });
}

function fromRules(value: unknown): Value {
  return listOf(value)
    .filter(isObject)
    .map((each): ValueMap => {
      const given = objectOf(each["properties"]);
      const texts = Object.entries(single).map(([api, name]): [string, Value] => [name, textOf(given[api])]);
      const lists = Object.entries(several).map(([api, name]): [string, Value] => [name, textsOf(given[api])]);
      const members = Object.entries(groups).map(([api, name]): [string, Value] => [
        name,
        listOf(given[api]).map((group) => textOf(objectOf(group)["id"])),
      ]);
      return {
        name: textOf(each["name"]),
        priority: typeof given["priority"] === "number" ? given["priority"] : 0,
        ...Object.fromEntries([...texts, ...lists, ...members]),
      };
    });
}
