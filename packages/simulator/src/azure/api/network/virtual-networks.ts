import { isObject, listOf, objectOf, textOf, textsOf } from "@cloudwright/platform";
import type { ApiAnswer, ApiCall, ApiOperation } from "../../../api/api-service.ts";
import { writeFields, type ResourceMapping } from "../../../api/map-fields.ts";
import { listRecords } from "../../../api/read-records.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { guid } from "../../place.ts";
import { getResource, listArmOperations, renderResource, type ArmKind } from "../arm-kind.ts";
import { etagOf, findById, getGroup, parameterOf } from "../arm-resources.ts";

/** The fields of a virtual network, without its subnets. */
export const networkMapping: ResourceMapping = {
  type: "azurerm_virtual_network",
  model: "VirtualNetwork",
  fields: [
    { api: "properties.addressSpace.addressPrefixes", attribute: "address_space", read: (value) => textsOf(value).toSorted() },
    {
      api: "properties.dhcpOptions.dnsServers",
      attribute: "dns_servers",
      read: (value) => (textsOf(value).length === 0 ? undefined : value),
    },
  ],
};

/** The fields of a subnet. */
export const subnetMapping: ResourceMapping = {
  type: "azurerm_subnet",
  model: "Subnet",
  fields: [
    {
      api: "properties.addressPrefixes",
      attribute: "address_prefixes",
      read: (value) => (textsOf(value).length > 1 ? value : undefined),
    },
    { api: "properties.addressPrefix", attribute: "address_prefixes", read: (value) => textsOf(value)[0], write: toList },
    ["properties.defaultOutboundAccess", "default_outbound_access_enabled"],
    ["properties.privateEndpointNetworkPolicies", "private_endpoint_network_policies"],
  ],
};

function toList(value: unknown): readonly string[] {
  return [textOf(value)];
}

const networkKind: ArmKind = {
  mapping: networkMapping,
  path: "Microsoft.Network/virtualNetworks/{virtualNetworkName}",
  title: "VirtualNetworks",
  creating: "Updating",
  async complete(call, record, rendered) {
    const subnets = await listSubnets(call, record.id);
    return {
      ...rendered,
      etag: `W/"${etagOf(record.attributes)}"`,
      properties: {
        ...objectOf(rendered["properties"]),
        subnets: await Promise.all(subnets.map((subnet) => renderResource(call, subnetKind, subnet))),
        resourceGuid: guid(record.id),
      },
    };
  },
};

const subnetKind: ArmKind = {
  mapping: subnetMapping,
  path: "Microsoft.Network/virtualNetworks/{virtualNetworkName}/subnets/{subnetName}",
  title: "Subnets",
  isTracked: false,
  creating: "Updating",
  checkParent: (call) => getResource(call, networkKind),
  async read(call) {
    const network = await getResource(call, networkKind);
    return { config: { virtual_network_name: textOf(network.attributes["name"]) } };
  },
  async complete(call, record, rendered) {
    const find = async (kind: string, attribute: string): Promise<object> => {
      const tie = await findById(call, `azurerm_subnet_${kind}_association`, record.id);
      const id = textOf(tie?.attributes[`${kind}_id`]);
      return id === "" ? {} : { [attribute]: { id } };
    };
    const ties = await Promise.all([
      find("network_security_group", "networkSecurityGroup"),
      find("route_table", "routeTable"),
      find("nat_gateway", "natGateway"),
    ]);
    return {
      ...rendered,
      etag: `W/"${etagOf(record.attributes)}"`,
      properties: Object.assign({}, objectOf(rendered["properties"]), ...ties) as unknown,
    };
  },
};

/** Operations on virtual networks and their subnets. */
export const virtualNetworkOperations: readonly ApiOperation[] = [
  ...listArmOperations(networkKind).map((operation) =>
    operation.name === "VirtualNetworks_CreateOrUpdate"
      ? { ...operation, run: (call: ApiCall) => putNetwork(call, operation.run) }
      : operation,
  ),
  ...listArmOperations(subnetKind),
];

async function listSubnets(call: ApiCall, networkId: string): Promise<readonly CloudRecord[]> {
  const prefix = `${networkId}/subnets/`.toLowerCase();
  return (await listRecords(call, subnetMapping.type)).filter(({ id }) => id.toLowerCase().startsWith(prefix));
}

/** Creates or changes a network, and then the subnets in the request that do not exist. */
async function putNetwork(call: ApiCall, put: ApiOperation["run"]): Promise<ApiAnswer> {
  const answer = await put(call);
  const asked = listOf(objectOf(objectOf(call.body)["properties"])["subnets"]).filter(isObject);
  if (asked.length === 0) return answer;
  const group = textOf((await getGroup(call)).attributes["name"]);
  const { id } = objectOf(answer.content);
  const known = new Set((await listSubnets(call, textOf(id))).map((subnet) => subnet.id.split("/").at(-1)?.toLowerCase()));
  for (const subnet of asked.filter(({ name }) => !known.has(textOf(name).toLowerCase()))) {
    const place = {
      name: textOf(subnet["name"]),
      resource_group_name: group,
      virtual_network_name: parameterOf(call, "virtualNetworkName"),
    };
    await call.operations.create(
      subnetMapping.type,
      { ...writeFields(subnetMapping, subnet), ...place },
      { name: "Subnets_Create" },
    );
  }
  const network = await findById(call, networkMapping.type, textOf(id));
  return network === undefined ? answer : { ...answer, content: await renderResource(call, networkKind, network) };
}
