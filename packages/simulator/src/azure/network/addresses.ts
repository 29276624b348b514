import { createHash } from "node:crypto";
import { textOf } from "../../values/read-value.ts";
import { checkName, checkZones, listOf, missingReference } from "../names.ts";
import { guid } from "../place.ts";
import type { HookContext } from "../../provider/definition.ts";
import type { Refusal } from "../refusal.ts";
import { inGroup, type AzureChange, type AzureResource } from "../resource.ts";

const publicIp: AzureResource = {
  noun: "Public IP Address",
  path: `${inGroup}/Microsoft.Network/publicIPAddresses/{name}`,
  forceNew: ["sku", "sku_tier", "zones", "ip_version", "ip_tags", "public_ip_prefix_id", "edge_zone"],
  defaults: {
    sku: "Standard",
    sku_tier: "Regional",
    ip_version: "IPv4",
    idle_timeout_in_minutes: 4,
    ddos_protection_mode: "VirtualNetworkInherited",
  },
  takes: { create: 4, update: 2, delete: 10 },
  limits: [
    {
      quota: "public-ips-per-region",
      within: "location",
      refusal: (limit) => ({
        code: "PublicIPCountLimitReached",
        message: `Cannot create more than ${limit} public IP addresses for this subscription in this region.`,
      }),
    },
  ],
  held: (id, holder) => ({
    code: "PublicIPAddressCannotBeDeleted",
    message: `Public IP address ${id} can not be deleted since it is still allocated to resource ${holder.id}. In order to delete the public IP, disassociate/detach the Public IP address from the resource.`,
  }),
  check: ({ operation, planned }) => {
    if (operation === "delete") return [];
    const wrong = [...checkName(planned, 80), ...checkZones(listOf(planned, "zones"), planned)];
    if (wrong.length > 0 || planned["allocation_method"] === "Static") return wrong;
    const message = "`allocation_method` must be set to `Static` when `sku` is set to `Standard` or `StandardV2`";
    return [{ code: "StandardSkuPublicIPAddressMustBeStatic", message, path: ["allocation_method"] }];
  },
  compute: ({ id }) => ({ ip_address: addressOf(id), fqdn: "" }),
};

/** Returns a public IP address for a resource. The same id always gets the same address. */
function addressOf(id: string): string {
  const [second = 0, third = 0, fourth = 0] = createHash("sha256").update(id.toLowerCase()).digest();
  return `20.${second}.${third}.${fourth}`;
}

const natGateway: AzureResource = {
  noun: "Nat Gateway",
  path: `${inGroup}/Microsoft.Network/natGateways/{name}`,
  forceNew: ["sku_name", "zones"],
  defaults: { sku_name: "Standard", idle_timeout_in_minutes: 4 },
  takes: { create: 10, update: 5, delete: 10 },
  limits: [
    {
      quota: "nat-gateways-per-region",
      within: "location",
      refusal: (limit) => ({
        code: "NatGatewayCountLimitReached",
        message: `Cannot create more than ${limit} NAT gateways for this subscription in this region.`,
      }),
    },
  ],
  held: (id, holder) => ({
    code: "InUseNatGatewayCannotBeDeleted",
    message: `Nat Gateway ${id} cannot be deleted since it is in use by subnet ${textOf(holder.attributes["subnet_id"])}.`,
  }),
  validate: (config) =>
    config["sku_name"] === "StandardV2" && listOf(config, "zones").length > 0
      ? [
          {
            summary:
              "azurerm_nat_gateway resources with `sku_name` set to `StandardV2` are zone-redundant by default, Azure automatically deploys across all available zones. The `zones` argument must be omitted",
          },
        ]
      : [],
  check: ({ operation, planned }) =>
    operation === "delete" ? [] : [...checkName(planned, 80), ...checkZones(listOf(planned, "zones"), planned)],
  compute: ({ id }) => ({ resource_guid: guid(id) }),
};

const gatewayAddress: AzureResource = {
  noun: "Nat Gateway Public IP Association",
  path: "{nat_gateway_id}|{public_ip_address_id}",
  takes: { create: 5, delete: 5 },
  names: [
    { path: "nat_gateway_id", to: ["azurerm_nat_gateway"], missing: missingReference, tie: "follows" },
    { path: "public_ip_address_id", to: ["azurerm_public_ip"], missing: missingReference, tie: "holds" },
  ],
  check: (change, context) => (change.operation === "create" ? checkGatewayAddress(change, context) : []),
};

async function checkGatewayAddress({ planned }: AzureChange, context: HookContext): Promise<readonly Refusal[]> {
  const [gatewayId, addressId] = [textOf(planned["nat_gateway_id"]), textOf(planned["public_ip_address_id"])];
  const gateway = await context.find({ type: "azurerm_nat_gateway", id: gatewayId });
  const address = await context.find({ type: "azurerm_public_ip", id: addressId });
  if (gateway?.attributes["sku_name"] !== address?.attributes["sku"]) {
    const message = `Nat Gateway ${gatewayId} with sku ${textOf(gateway?.attributes["sku_name"])} cannot use public IP address ${addressId} with sku ${textOf(address?.attributes["sku"])}.`;
    return [{ code: "NatGatewayInvalidPublicIpAddressSku", message }];
  }
  const all = await context.list("azurerm_nat_gateway_public_ip_association");
  const other = all.find(({ attributes }) => attributes["public_ip_address_id"] === addressId);
  if (other !== undefined) {
    const message = `Resource ${gatewayId} is referencing public IP address ${addressId} that is already allocated to resource ${textOf(other.attributes["nat_gateway_id"])}.`;
    return [{ code: "PublicIPAddressInUse", message }];
  }
  const count = all.filter(({ attributes }) => attributes["nat_gateway_id"] === gatewayId).length;
  return count < 16
    ? []
    : [
        {
          code: "NatGatewayPublicIpAddressLimitReached",
          message: `Nat Gateway ${gatewayId} already has 16 public IP addresses.`,
        },
      ];
}

/** The public IP address and NAT gateway resource types. */
export const addresses = {
  azurerm_public_ip: publicIp,
  azurerm_nat_gateway: natGateway,
  azurerm_nat_gateway_public_ip_association: gatewayAddress,
} as const;
