import { networkReserved } from "@cloudwright/contract/clouds/azure/reserved-ranges";
import { containsRange, overlaps, parseRange, type Ipv4Range } from "@cloudwright/platform";
import { findOverlapping } from "../../cloud/reserved-ranges.ts";
import type { CloudRecord } from "../../inventory/inventory.ts";
import type { HookContext } from "../../provider/definition.ts";
import { textOf } from "../../values/read-value.ts";
import type { ValueMap } from "../../values/value.ts";
import { checkName, findParent, listOf, missingParent } from "../names.ts";
import { guid } from "../place.ts";
import type { Refusal } from "../refusal.ts";
import { inGroup, type AzureChange, type AzureResource } from "../resource.ts";

const parent = { type: "azurerm_virtual_network", segment: "virtualNetworks", nameAttribute: "virtual_network_name" } as const;

const virtualNetwork: AzureResource = {
  noun: "Virtual Network",
  path: `${inGroup}/Microsoft.Network/virtualNetworks/{name}`,
  forceNew: ["edge_zone"],
  defaults: { private_endpoint_vnet_policies: "Disabled" },
  takes: { create: 5, update: 3, delete: 10 },
  limits: [
    {
      quota: "virtual-networks-per-region",
      within: "location",
      refusal: (limit) => ({
        code: "VirtualNetworkCountLimitReached",
        message: `Cannot create more than ${limit} virtual networks for this subscription in this region.`,
      }),
    },
  ],
  check: async ({ operation, id, planned }, context) => {
    if (operation === "delete") return findUsedSubnet(id, context);
    return [...checkName(planned, 64), ...checkSpace(planned), ...(await checkSubnetsStay(id, planned, context))];
  },
  compute: ({ id }) => ({ guid: guid(id), dns_servers: [], subnet: [] }),
};

function checkSpace(planned: ValueMap): readonly Refusal[] {
  const texts = listOf(planned, "address_space");
  const wrong = texts.find((text) => {
    const range = parseRange(text);
    return range === undefined || range.prefix < 2 || range.prefix > 29;
  });
  if (wrong !== undefined) {
    const message = `The address prefix ${wrong} in virtual network ${textOf(planned["name"])} has an invalid CIDR notation.`;
    return [{ code: "InvalidCIDRNotation", message, path: ["address_space"] }];
  }
  for (const range of texts) {
    const reserved = findOverlapping(parseRange(range), networkReserved);
    if (reserved === undefined) continue;
    const message = `The address prefix ${range} in virtual network ${textOf(planned["name"])} overlaps ${reserved}, which is reserved.`;
    return [{ code: "InvalidAddressPrefix", message, path: ["address_space"] }];
  }
  const [first, second] = findOverlap(rangesOf(texts));
  if (first === undefined || second === undefined) return [];
  const message = `Address prefixes of virtual network ${textOf(planned["name"])} overlap.`;
  return [{ code: "VnetAddressSpaceOverlapsWithAlreadyExistingSpace", message, path: ["address_space"] }];
}

async function checkSubnetsStay(id: string, planned: ValueMap, context: HookContext): Promise<readonly Refusal[]> {
  const space = rangesOf(listOf(planned, "address_space"));
  const out = (await listSubnets(id, context)).find(({ attributes }) =>
    rangesOf(listOf(attributes, "address_prefixes")).some((range) => !space.some((each) => containsRange(each, range))),
  );
  if (out === undefined) return [];
  const message = `IpPrefix of subnet ${out.id} on Vnet ${id} cannot be deleted since it is in use. Virtual networks with subnets outside their address space are not allowed.`;
  return [{ code: "InUsePrefixCannotBeDeleted", message, path: ["address_space"] }];
}

/** Returns an error if a subnet of the virtual network is in use. Unused subnets do not block the deletion of the network. */
async function findUsedSubnet(id: string, context: HookContext): Promise<readonly Refusal[]> {
  const subnets = new Set((await listSubnets(id, context)).map((subnet) => subnet.id.toLowerCase()));
  if (subnets.size === 0) return [];
  const user = (await context.list()).find(
    ({ type, attributes }) => /^azurerm_(?!subnet|virtual_network)/.test(type) && refersTo(attributes, subnets),
  );
  return user === undefined
    ? []
    : [describeUsedSubnet([...subnets].find((each) => refersTo(user.attributes, new Set([each]))) ?? "", user)];
}

function refersTo(attributes: ValueMap, ids: ReadonlySet<string>): boolean {
  return [...JSON.stringify(attributes).matchAll(/"(\/subscriptions\/[^"]+)"/g)].some(([, id = ""]) => ids.has(id.toLowerCase()));
}

function describeUsedSubnet(id: string, user: CloudRecord): Refusal {
  const name = id.split("/").at(-1) ?? "";
  const message = `Subnet ${name} is in use by ${user.id} and cannot be deleted. In order to delete the subnet, delete all the resources within the subnet. See aka.ms/deletesubnet.`;
  return { code: "InUseSubnetCannotBeDeleted", message };
}

const subnet: AzureResource = {
  noun: "Subnet",
  path: `${inGroup}/Microsoft.Network/virtualNetworks/{virtual_network_name}/subnets/{name}`,
  defaults: {
    default_outbound_access_enabled: true,
    private_endpoint_network_policies: "Disabled",
    private_link_service_network_policies_enabled: true,
  },
  takes: { create: 5, update: 3, delete: 10 },
  held: describeUsedSubnet,
  limits: [
    {
      quota: "subnets-per-virtual-network",
      within: "virtual_network_name",
      refusal: (limit) => ({
        code: "SubnetCountLimitReached",
        message: `Cannot create more than ${limit} subnets in a virtual network.`,
      }),
    },
  ],
  check: (change, context) => (change.operation === "delete" ? [] : checkSubnet(change, context)),
  read: async ({ id, attributes }, context) => ({
    ...attributes,
    network_security_group_id: await findAssociated("network_security_group", "network_security_group_id", id, context),
    route_table_id: await findAssociated("route_table", "route_table_id", id, context),
  }),
};

async function findAssociated(kind: string, attribute: string, id: string, context: HookContext): Promise<string> {
  const found = await context.find({ type: `azurerm_subnet_${kind}_association`, id });
  return textOf(found?.attributes[attribute]);
}

async function checkSubnet({ id, planned }: AzureChange, context: HookContext): Promise<readonly Refusal[]> {
  const network = await findParent(planned, parent, context);
  if (network === undefined) return [missingParent(planned, parent.segment, parent.nameAttribute)];
  const wrongName = checkName(planned, 80);
  if (wrongName.length > 0) return wrongName;
  const [name, networkName] = [textOf(planned["name"]), textOf(planned["virtual_network_name"])];
  const space = rangesOf(listOf(network.attributes, "address_space"));
  const peers = (await listSubnets(network.id, context)).filter((other) => other.id !== id);
  for (const text of listOf(planned, "address_prefixes")) {
    const range = parseRange(text);
    if (range === undefined)
      return [
        { code: "InvalidCIDRNotation", message: `The address prefix ${text} in subnet ${name} has an invalid CIDR notation.` },
      ];
    if (range.prefix > 29 || !space.some((each) => containsRange(each, range)))
      return [{ code: "NetcfgInvalidSubnet", message: `Subnet '${name}' is not valid in virtual network '${networkName}'.` }];
    const isTaken = peers.some(({ attributes }) =>
      rangesOf(listOf(attributes, "address_prefixes")).some((other) => overlaps(other, range)),
    );
    if (isTaken) {
      const message = `Subnet '${name}' is not valid because its IP address range overlaps with that of an existing subnet in virtual network '${networkName}'.`;
      return [{ code: "NetcfgSubnetRangesOverlap", message }];
    }
  }
  return [];
}

async function listSubnets(networkId: string, context: HookContext): Promise<readonly CloudRecord[]> {
  return (await context.list("azurerm_subnet")).filter((record) => record.id.startsWith(`${networkId}/subnets/`));
}

function rangesOf(texts: readonly string[]): readonly Ipv4Range[] {
  return texts.flatMap((text) => parseRange(text) ?? []);
}

function findOverlap(ranges: readonly Ipv4Range[]): readonly (Ipv4Range | undefined)[] {
  for (const [index, range] of ranges.entries()) {
    const other = ranges.slice(index + 1).find((each) => overlaps(each, range));
    if (other !== undefined) return [range, other];
  }
  return [];
}

/** The virtual network and subnet resource types. */
export const virtualNetworks = { azurerm_virtual_network: virtualNetwork, azurerm_subnet: subnet } as const;
