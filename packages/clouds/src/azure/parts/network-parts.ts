import { textOf, type JsonObject } from "@cloudwright/platform/json";
import { isDeepStrictEqual } from "node:util";
import { refuseRequest } from "../../library/errors.ts";
import type { CloudPart, PartAttributes } from "../../library/parts.ts";
import { spellLocation, type AzureContext } from "../library/context.ts";
import { listWidely } from "../library/read-machines.ts";
import { libraryOperations } from "../library/operations.ts";
import { readReference, renderId, type ReferenceKind } from "../library/references.ts";
import type { NetworkInterface, PublicIPAddress, SubResource } from "../models.ts";
import { operations } from "../operations.ts";
import { listOwnTags, readBlock, renderOwnerTags, replaceTags, sortTexts } from "./part-support.ts";
import { createResourcePart, type PartDefinition } from "./resource-part.ts";

const names = {
  namePattern: /^[a-z0-9]([\w.-]{0,78}\w)?$/i,
  nameRule: "at most 80 letters, digits, ., - and _",
};
const interfaceKind: ReferenceKind = { title: "a network interface", type: "Microsoft.Network/networkInterfaces", ...names };
const addressKind: ReferenceKind = { title: "a public address", type: "Microsoft.Network/publicIPAddresses", ...names };
export const applicationGroupKind: ReferenceKind = {
  title: "an application security group",
  type: "Microsoft.Network/applicationSecurityGroups",
  ...names,
};
export const securityGroupKind: ReferenceKind = {
  title: "a network security group",
  type: "Microsoft.Network/networkSecurityGroups",
  ...names,
};

/** The fields that all network resources have. */
export interface NetworkResource {
  readonly id?: string;
  readonly location?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly properties?: { readonly provisioningState?: string };
}

/**
 * Network interfaces. The ID is the ARM ID. Attributes: `name`, `resource_group_name`, `location`, `ip_configuration` (one block with
 * `subnet_id`, `public_ip_address_id`), `network_security_group_id`, `application_security_group_ids`, `tags`. Empty strings mean none.
 */
export function createInterfacePart(context: AzureContext, entityUid: string): CloudPart {
  return createResourcePart<Interface>(context, entityUid, {
    ...describeNetworkResource<Interface>(context, interfaceKind, "networkInterfaceName"),
    name: "azurerm_network_interface",
    title: "network interface",
    get: libraryOperations.getInterface,
    put: libraryOperations.putInterface,
    remove: libraryOperations.deleteInterface,
    render: (attributes, owner) => ({ ...renderInterface(attributes), tags: renderOwnerTags(attributes, owner) }),
    renderChange: (current, attributes) => changeBy(current, attributes, readInterface(context, current), renderInterface),
    toAttributes: (card) => ({
      ...readInterface(context, card),
      private_ip_address: card.properties?.ipConfigurations?.[0]?.properties?.privateIPAddress ?? "",
    }),
    async list(signal) {
      const { listInterfaces, listGroupInterfaces } = libraryOperations;
      const found = await listWidely<Interface>(context, "network interfaces", listInterfaces, listGroupInterfaces, signal);
      return found.map(({ id = "", tags }) => ({ id: spellId(context, interfaceKind, id), tags }));
    },
  });
}

type Interface = NetworkInterface & {
  readonly location?: string;
  readonly properties?: {
    readonly networkSecurityGroup?: SubResource;
    readonly ipConfigurations?: readonly {
      readonly properties?: { readonly subnet?: SubResource; readonly applicationSecurityGroups?: readonly SubResource[] };
    }[];
  };
};

function renderInterface(attributes: PartAttributes): object {
  const block = readBlock(attributes["ip_configuration"]);
  const [subnet, address] = [textOf(block["subnet_id"]), textOf(block["public_ip_address_id"])];
  const group = textOf(attributes["network_security_group_id"]);
  const members = sortTexts(attributes["application_security_group_ids"]);
  if (subnet === "") throw refuseRequest("azure", "ip_configuration of a network interface needs subnet_id");
  const properties = {
    primary: true,
    privateIPAllocationMethod: "Dynamic",
    subnet: { id: subnet },
    ...(address === "" ? {} : { publicIPAddress: { id: address } }),
    ...(members.length === 0 ? {} : { applicationSecurityGroups: members.map((id) => ({ id })) }),
  };
  return {
    location: textOf(attributes["location"]),
    properties: {
      ipConfigurations: [{ name: "primary", properties }],
      ...(group === "" ? {} : { networkSecurityGroup: { id: group } }),
    },
  };
}

function readInterface(context: AzureContext, card: Interface): PartAttributes {
  const { subnet, publicIPAddress, applicationSecurityGroups = [] } = card.properties?.ipConfigurations?.[0]?.properties ?? {};
  return {
    ...readPlace(context, interfaceKind, card),
    ip_configuration: [{ subnet_id: subnet?.id ?? "", public_ip_address_id: publicIPAddress?.id ?? "" }],
    network_security_group_id: card.properties?.networkSecurityGroup?.id ?? "",
    application_security_group_ids: applicationSecurityGroups
      .map(({ id = "" }) => spellId(context, applicationGroupKind, id))
      .toSorted(),
    tags: listOwnTags(card.tags),
  };
}

/**
 * Static public addresses. The ID is the ARM ID. Attributes: `name`, `resource_group_name`, `location`, `zones`, `tags`. The output
 * `ip_address` is the address.
 */
export function createAddressPart(context: AzureContext, entityUid: string): CloudPart {
  return createResourcePart<Address>(context, entityUid, {
    ...describeNetworkResource<Address>(context, addressKind, "publicIpAddressName"),
    name: "azurerm_public_ip",
    title: "public address",
    get: libraryOperations.getAddress,
    put: libraryOperations.putAddress,
    remove: libraryOperations.deleteAddress,
    render: (attributes, owner) => ({ ...renderAddress(attributes), tags: renderOwnerTags(attributes, owner) }),
    renderChange: (current, attributes) => changeBy(current, attributes, readAddress(context, current), renderAddress),
    toAttributes: (address) => ({ ...readAddress(context, address), ip_address: address.properties?.ipAddress ?? "" }),
    async list(signal) {
      const { listGroupAddresses } = libraryOperations;
      const found = await listWidely<Address>(context, "public addresses", operations.listPublicIps, listGroupAddresses, signal);
      return found.map(({ id = "", tags }) => ({ id: spellId(context, addressKind, id), tags }));
    },
  });
}

type Address = PublicIPAddress & { readonly zones?: readonly string[] };

function renderAddress(attributes: PartAttributes): object {
  const zones = sortTexts(attributes["zones"]);
  return {
    location: textOf(attributes["location"]),
    ...(zones.length === 0 ? {} : { zones }),
    sku: { name: "Standard" },
    properties: { publicIPAllocationMethod: "Static", publicIPAddressVersion: "IPv4" },
  };
}

function readAddress(context: AzureContext, address: Address): PartAttributes {
  return { ...readPlace(context, addressKind, address), zones: sortTexts(address.zones), tags: listOwnTags(address.tags) };
}

type SharedDefinition<Resource extends NetworkResource> = Pick<
  PartDefinition<Resource>,
  "immutable" | "isConditional" | "idOf" | "pathOf" | "tagsOf" | "readState"
>;

/** Returns the parts of a definition that all network resources share. */
export function describeNetworkResource<Resource extends NetworkResource>(
  context: AzureContext,
  kind: ReferenceKind,
  parameter: string,
): SharedDefinition<Resource> {
  return {
    immutable: ["name", "resource_group_name", "location", "zones", "failed"],
    // Azure's network API has no conditional requests.
    isConditional: false,
    idOf: (attributes) => renderPartId(context, kind, attributes),
    pathOf(id) {
      const { subscriptionId, resourceGroup, name } = readReference(context, kind, id);
      return { subscriptionId, resourceGroupName: resourceGroup, [parameter]: name };
    },
    tagsOf: ({ tags }) => tags,
    readState({ properties }) {
      const nativeStatus = properties?.provisioningState ?? "";
      return { isReady: nativeStatus === "Succeeded", isFailed: nativeStatus === "Failed", nativeStatus };
    },
  };
}

/** Renders the ID of a new resource. If its attributes do not name a resource group, the client's resource group is used. */
export function renderPartId({ options }: AzureContext, kind: ReferenceKind, attributes: PartAttributes): string {
  const [name = "", group = ""] = ["name", "resource_group_name"].map((field) => textOf(attributes[field]));
  const place = { subscriptionId: options.subscriptionId, resourceGroup: group || options.resourceGroup, name };
  return renderId(place, kind.type);
}

/** Returns an ID in the spelling that parts use. Azure returns IDs in varying upper and lower case. */
export function spellId(context: AzureContext, kind: ReferenceKind, id: string): string {
  return renderId(readReference(context, kind, id), kind.type);
}

/** Returns the attributes that all network resources have in common. */
export function readPlace(
  context: AzureContext,
  kind: ReferenceKind,
  { id = "", location = "" }: Pick<NetworkResource, "id" | "location">,
): JsonObject {
  const { resourceGroup, name } = readReference(context, kind, id);
  return { name, resource_group_name: resourceGroup, location: spellLocation(location) };
}

/** Renders the whole resource if one of its attributes must change, because the PUT of a network resource replaces all fields. */
export function changeBy(
  { tags }: NetworkResource,
  attributes: PartAttributes,
  now: PartAttributes,
  render: (attributes: PartAttributes) => object,
): object | undefined {
  const desired = { ...now, ...attributes };
  if (Object.keys(now).every((field) => isDeepStrictEqual(desired[field], now[field]))) return undefined;
  return { ...render(desired), tags: replaceTags(tags, desired["tags"]) };
}
