import { objectOf, textsOf } from "@cloudwright/platform";
import type { ApiCall, ApiOperation } from "../../../api/api-service.ts";
import type { ResourceMapping } from "../../../api/map-fields.ts";
import { getQuota } from "../../../cloud/quotas.ts";
import { textOf } from "../../../values/read-value.ts";
import { listArmOperations, spellLocation } from "../arm-kind.ts";
import { parameterOf } from "../arm-resources.ts";

/** The fields of a NAT gateway. */
export const natGatewayMapping: ResourceMapping = {
  type: "azurerm_nat_gateway",
  model: "NatGateway",
  fields: [
    ["sku.name", "sku_name"],
    { api: "zones", attribute: "zones", read: (zones) => (textsOf(zones).length === 0 ? undefined : textsOf(zones).toSorted()) },
    ["properties.idleTimeoutInMinutes", "idle_timeout_in_minutes"],
    { api: "properties.resourceGuid", attribute: "resource_guid", isReadOnly: true },
  ],
};

const routeTableMapping: ResourceMapping = {
  type: "azurerm_route_table",
  model: "RouteTable",
  fields: [],
};

const readOnly = /_(Get|List|ListAll)$/;

const natGateways = listArmOperations({
  mapping: natGatewayMapping,
  path: "Microsoft.Network/natGateways/{natGatewayName}",
  title: "NatGateways",
  async complete(call, record, rendered) {
    const ties = await call.scope.inventory.list(call.caller.tenant, "azurerm_nat_gateway_public_ip_association");
    const own = ties.filter(({ attributes }) => attributes["nat_gateway_id"] === record.id);
    const publicIpAddresses = own.map(({ attributes }) => ({ id: textOf(attributes["public_ip_address_id"]) }));
    return { ...rendered, properties: { ...objectOf(rendered["properties"]), publicIpAddresses } };
  },
}).filter(({ name }) => readOnly.test(name));

const routeTables = listArmOperations({
  mapping: routeTableMapping,
  path: "Microsoft.Network/routeTables/{routeTableName}",
  title: "RouteTables",
  async complete(call, record, rendered) {
    const all = await call.scope.inventory.list(call.caller.tenant, "azurerm_route");
    const routes = all
      .filter(({ id }) => id.startsWith(`${record.id}/routes/`))
      .map(({ id, attributes }) => ({
        id,
        name: textOf(attributes["name"]),
        properties: {
          addressPrefix: textOf(attributes["address_prefix"]),
          nextHopType: textOf(attributes["next_hop_type"]),
          provisioningState: "Succeeded",
        },
      }));
    return { ...rendered, properties: { ...objectOf(rendered["properties"]), routes } };
  },
}).filter(({ name }) => readOnly.test(name));

const quotas = [
  ["VirtualNetworks", "virtual-networks-per-region", "azurerm_virtual_network"],
  ["PublicIPAddresses", "public-ips-per-region", "azurerm_public_ip"],
  ["NatGateways", "nat-gateways-per-region", "azurerm_nat_gateway"],
  ["ApplicationSecurityGroups", "application-security-groups-per-region", "azurerm_application_security_group"],
  ["NetworkSecurityGroups", "network-security-groups-per-region", "azurerm_network_security_group"],
] as const;

/** Operations that only read: NAT gateways and route tables, which Terraform creates, and quotas. */
export const networkListOperations: readonly ApiOperation[] = [
  ...natGateways,
  ...routeTables,
  {
    name: "Usages_List",
    match: { method: "GET", path: "/subscriptions/{subscriptionId}/providers/Microsoft.Network/locations/{location}/usages" },
    run: async (call) => ({ content: { value: await Promise.all(quotas.map((quota) => describeUsage(call, quota))) } }),
  },
];

async function describeUsage(call: ApiCall, [value, quota, type]: (typeof quotas)[number]): Promise<Record<string, unknown>> {
  const location = spellLocation(parameterOf(call, "location"));
  const records = await call.scope.inventory.list(call.caller.tenant, type);
  const used = records.filter(({ attributes }) => spellLocation(textOf(attributes["location"])) === location);
  return {
    id: `/subscriptions/${parameterOf(call, "subscriptionId")}/providers/Microsoft.Network/locations/${location}/usages/${value}`,
    unit: "Count",
    currentValue: used.length,
    limit: getQuota(quota, call.conditions),
    name: { value, localizedValue: value },
  };
}
