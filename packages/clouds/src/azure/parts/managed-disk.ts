import { numberOf, textOf } from "@cloudwright/platform/json";
import { isDeepStrictEqual } from "node:util";
import { createCloudFault, refuseRequest } from "../../library/errors.ts";
import type { CloudPart, PartAttributes } from "../../library/parts.ts";
import type { AzureContext } from "../library/context.ts";
import { libraryOperations } from "../library/operations.ts";
import { listWidely } from "../library/read-machines.ts";
import { readReference, type ReferenceKind } from "../library/references.ts";
import { operations } from "../operations.ts";
import { readPlace, renderPartId, spellId } from "./network-parts.ts";
import { listOwnTags, renderOwnerTags, replaceTags } from "./part-support.ts";
import { createResourcePart } from "./resource-part.ts";

export const diskKind: ReferenceKind = {
  title: "a managed disk",
  type: "Microsoft.Compute/disks",
  namePattern: /^[a-z0-9]([\w.-]{0,78}\w)?$/i,
  nameRule: "at most 80 letters, digits, ., - and _",
};

/** The fields of a disk that the parts read. */
export interface ManagedDisk {
  readonly id?: string;
  readonly location?: string;
  readonly zones?: readonly string[];
  readonly managedBy?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly sku?: { readonly name?: string };
  readonly properties?: {
    readonly provisioningState?: string;
    readonly diskSizeGB?: number;
    readonly diskState?: string;
    readonly networkAccessPolicy?: string;
  };
}

/** Returns the path parameters of calls about a disk. */
export function diskPath(context: AzureContext, id: string): Readonly<Record<string, string>> {
  const { subscriptionId, resourceGroup, name } = readReference(context, diskKind, id);
  return { subscriptionId, resourceGroupName: resourceGroup, diskName: name };
}

/**
 * Empty managed disks. The ID is the ARM ID. Attributes: `name`, `resource_group_name`, `location`, `zone`, `storage_account_type`,
 * `disk_size_gb`, `network_access_policy`, `tags`. A changed size, type or policy is applied in place, because a replacement would lose the
 * data. A disk is not replaced either if a change of it has failed.
 */
export function createDiskPart(context: AzureContext, entityUid: string): CloudPart {
  return createResourcePart<ManagedDisk>(context, entityUid, {
    name: "azurerm_managed_disk",
    title: "managed disk",
    immutable: ["name", "resource_group_name", "location", "zone"],
    get: operations.getDisk,
    put: libraryOperations.putDisk,
    change: operations.updateDisk,
    remove: operations.deleteDisk,
    isConditional: false,
    idOf: (attributes) => renderPartId(context, diskKind, attributes),
    pathOf: (id) => diskPath(context, id),
    tagsOf: ({ tags }) => tags,
    render: (attributes, owner) => render(attributes, renderOwnerTags(attributes, owner)),
    renderChange,
    toAttributes: (disk) => ({
      ...readPlace(context, diskKind, disk),
      zone: disk.zones?.[0] ?? "",
      storage_account_type: disk.sku?.name ?? "",
      disk_size_gb: disk.properties?.diskSizeGB ?? 0,
      network_access_policy: disk.properties?.networkAccessPolicy ?? "",
      tags: listOwnTags(disk.tags),
    }),
    readState({ properties }) {
      const nativeStatus = properties?.provisioningState ?? "";
      return { isReady: nativeStatus === "Succeeded", isFailed: nativeStatus === "Failed", nativeStatus };
    },
    async list(signal) {
      const found = await listDisks(context, signal);
      return found.map(({ id = "", tags }) => ({ id: spellId(context, diskKind, id), tags }));
    },
  });
}

/** Lists the disks of the subscription, or of the client's resource group if the credentials do not allow more. */
export function listDisks(context: AzureContext, signal: AbortSignal): Promise<readonly ManagedDisk[]> {
  return listWidely<ManagedDisk>(context, "disks", operations.listDisks, libraryOperations.listGroupDisks, signal);
}

function render(attributes: PartAttributes, tags: Readonly<Record<string, string>>): object {
  const zone = textOf(attributes["zone"]);
  const policy = textOf(attributes["network_access_policy"]);
  return {
    location: textOf(attributes["location"]),
    ...(zone === "" ? {} : { zones: [zone] }),
    sku: { name: textOf(attributes["storage_account_type"]) },
    tags,
    properties: {
      creationData: { createOption: "Empty" },
      diskSizeGB: numberOf(attributes["disk_size_gb"]),
      ...(policy === ""
        ? {}
        : { networkAccessPolicy: policy, publicNetworkAccess: policy === "DenyAll" ? "Disabled" : "Enabled" }),
    },
  };
}

/** The size in GiB up to which Azure grows a disk while a running machine uses it. */
const liveGrowthGib = 4096;

function renderChange(disk: ManagedDisk, attributes: PartAttributes): object | undefined {
  const tags = attributes["tags"] === undefined ? { ...disk.tags } : replaceTags(disk.tags, attributes["tags"]);
  const { diskSizeGB: size = 0, networkAccessPolicy = "", diskState = "" } = disk.properties ?? {};
  const [desired, type, policy] = [
    numberOf(attributes["disk_size_gb"]) || size,
    textOf(attributes["storage_account_type"]) || disk.sku?.name,
    textOf(attributes["network_access_policy"]) || networkAccessPolicy,
  ];
  const name = disk.id?.split("/").at(-1);
  if (desired < size) throw refuseRequest("azure", `the disk ${name} has ${size} GiB, and disks cannot shrink to ${desired} GiB`);
  const isRetyped = type !== disk.sku?.name;
  if (diskState === "Attached" && desired > liveGrowthGib && size <= liveGrowthGib)
    throw refuseInUse(
      name,
      `grow from ${size} to ${desired} GiB`,
      `because Azure grows disks beyond ${liveGrowthGib} GiB only offline`,
    );
  if (diskState === "Attached" && isRetyped)
    throw refuseInUse(name, `become ${type}`, "because Azure changes types only offline");
  const properties = {
    ...(desired === size ? {} : { diskSizeGB: desired }),
    ...(policy === networkAccessPolicy
      ? {}
      : { networkAccessPolicy: policy, publicNetworkAccess: policy === "DenyAll" ? "Disabled" : "Enabled" }),
  };
  if (Object.keys(properties).length === 0 && !isRetyped && isDeepStrictEqual(tags, { ...disk.tags })) return undefined;
  return { tags, ...(isRetyped ? { sku: { name: type } } : {}), ...(Object.keys(properties).length === 0 ? {} : { properties }) };
}

function refuseInUse(name: string | undefined, change: string, reason: string): Error {
  const message = `the disk ${name} cannot ${change} while a running instance uses it, ${reason}; stop the instance or detach the volume first`;
  return createCloudFault(message, { cloud: "azure", category: "conflict" });
}
