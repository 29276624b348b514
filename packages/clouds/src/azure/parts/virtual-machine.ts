import { findNumber, listOf, objectOf, textOf, textsOf } from "@cloudwright/platform/json";
import { trimEnd } from "@cloudwright/platform/trim-end";
import { isDeepStrictEqual } from "node:util";
import { refuseRequest } from "../../library/errors.ts";
import type { CloudPart, PartAttributes, PartOwner } from "../../library/parts.ts";
import type { AzureContext } from "../library/context.ts";
import { readImage, renderImage } from "../library/images.ts";
import { changeMachine, readConsole } from "../library/instances.ts";
import { diskName, removeDisk } from "../library/machine-parts.ts";
import { libraryOperations } from "../library/operations.ts";
import { listWidely, machinePath, placeOf, readStatus } from "../library/read-machines.ts";
import { machineKind, readReference, type AzurePlace } from "../library/references.ts";
import type { VirtualMachine } from "../machine-models.ts";
import { readPlace, renderPartId, spellId } from "./network-parts.ts";
import { listOwnTags, readBlock, renderOwnerTags, replaceTags } from "./part-support.ts";
import { createResourcePart } from "./resource-part.ts";

/** Tag that records the requested image, because the name of an operating system resolves to newer images over time. */
const imageTag = "cloudwright:image";

const powerMs = 20 * 60_000;

/** The fields of a machine that the part reads and that `VirtualMachine` lacks. */
interface MoreProperties {
  readonly vmId?: string;
  readonly userData?: string;
  readonly storageProfile?: {
    readonly osDisk?: {
      readonly name?: string;
      readonly diskSizeGB?: number;
      readonly managedDisk?: { readonly diskEncryptionSet?: { readonly id?: string } };
    };
  };
  readonly securityProfile?: {
    readonly securityType?: string;
    readonly encryptionAtHost?: boolean;
    readonly uefiSettings?: { readonly secureBootEnabled?: boolean; readonly vTpmEnabled?: boolean };
  };
  readonly osProfile?: {
    readonly linuxConfiguration?: { readonly ssh?: { readonly publicKeys?: readonly { readonly keyData?: string }[] } };
  };
}

/**
 * Linux machines. The ID is the ARM ID. Attributes: `name`, `resource_group_name`, `location`, `zone`, `size`, `source_image_id` (an ARM
 * ID, `publisher:offer:sku:version`, or an operating system such as `ubuntu-24.04`), `admin_username`, `admin_ssh_key` (blocks with
 * `public_key`), `network_interface_ids`, `user_data` (base64), `os_disk` (one block with `disk_size_gb` and `disk_encryption_set_id`),
 * `secure_boot_enabled` and `vtpm_enabled` (trusted launch), `encryption_at_host_enabled`, `power_state` (`running` or `stopped`),
 * `tags`. The output `virtual_machine_id` differs from that of an earlier machine with the same name. The disk belongs to the machine.
 * Network interfaces and addresses are separate resources.
 */
export function createMachinePart(context: AzureContext, entityUid: string): CloudPart {
  const { api } = context;
  return createResourcePart<VirtualMachine>(context, entityUid, {
    name: "azurerm_linux_virtual_machine",
    title: "virtual machine",
    immutable: [
      "name",
      "resource_group_name",
      "location",
      "zone",
      "source_image_id",
      "admin_username",
      "admin_ssh_key",
      "network_interface_ids",
      "user_data",
      "os_disk",
      "secure_boot_enabled",
      "vtpm_enabled",
      "encryption_at_host_enabled",
      "failed",
    ],
    sensitive: ["user_data"],
    get: libraryOperations.getMachine,
    put: libraryOperations.putMachine,
    change: libraryOperations.updateMachine,
    remove: libraryOperations.deleteMachine,
    query: { $expand: "instanceView" },
    isConditional: true,
    idOf: (attributes) => renderPartId(context, machineKind, attributes),
    pathOf: (id) => machinePath(readReference(context, machineKind, id)),
    tagsOf: ({ tags }) => tags,
    render: (attributes, owner) =>
      render(readReference(context, machineKind, renderPartId(context, machineKind, attributes)), attributes, owner),
    renderChange(machine, attributes) {
      const tags = attributes["tags"] === undefined ? { ...machine.tags } : replaceTags(machine.tags, attributes["tags"]);
      const size = textOf(attributes["size"]);
      const isResized = size !== "" && size !== machine.properties?.hardwareProfile?.vmSize;
      if (!isResized && isDeepStrictEqual(tags, { ...machine.tags })) return undefined;
      return { tags, ...(isResized ? { properties: { hardwareProfile: { vmSize: size } } } : {}) };
    },
    async toAttributes(machine, signal) {
      const request = { path: machinePath(placeOf(context, machine)), query: { $expand: "userData" }, signal };
      const full = await api.find<VirtualMachine>(`read the user data of ${machine.name}`, libraryOperations.getMachine, request);
      return toAttributes(context, machine, (full?.properties as MoreProperties | undefined)?.userData ?? "");
    },
    readState(machine) {
      const { status, nativeStatus, statusReason } = readStatus(machine);
      const reason = statusReason === undefined ? {} : { statusReason };
      return { isReady: status === "running" || status === "stopped", isFailed: status === "failed", nativeStatus, ...reason };
    },
    async list(signal) {
      const { listMachines, listGroupMachines } = libraryOperations;
      const found = await listWidely<VirtualMachine>(context, "virtual machines", listMachines, listGroupMachines, signal);
      return found.map(({ id = "", tags }) => ({ id: spellId(context, machineKind, id), tags }));
    },
    readConsole: (id, signal) => readConsole(context, readReference(context, machineKind, id), { signal }),
    finish: (id, attributes, signal) => setPower(context, id, attributes["power_state"], signal),
    async afterDelete(machine, signal) {
      const disk = (machine.properties as MoreProperties | undefined)?.storageProfile?.osDisk?.name;
      if (disk !== undefined) await removeDisk(context, placeOf(context, machine), disk, { signal, timeoutMs: powerMs });
    },
  });
}

function render(place: AzurePlace, attributes: PartAttributes, owner: PartOwner): object {
  const [image, size, user, zone, data] = ["source_image_id", "size", "admin_username", "zone", "user_data"].map((field) =>
    textOf(attributes[field]),
  ) as [string, string, string, string, string];
  const disk = readBlock(attributes["os_disk"]);
  const [diskSizeGB, encryptionSet] = [findNumber(disk["disk_size_gb"]), textOf(disk["disk_encryption_set_id"])];
  return {
    location: textOf(attributes["location"]),
    ...(zone === "" ? {} : { zones: [zone] }),
    tags: { ...renderOwnerTags(attributes, owner), [imageTag]: image },
    properties: {
      hardwareProfile: { vmSize: size },
      storageProfile: {
        imageReference: readImage(image, size),
        osDisk: {
          name: diskName(place, owner.token),
          createOption: "FromImage",
          deleteOption: "Delete",
          ...(diskSizeGB === undefined || diskSizeGB === 0 ? {} : { diskSizeGB }),
          ...(encryptionSet === "" ? {} : { managedDisk: { diskEncryptionSet: { id: encryptionSet } } }),
        },
      },
      osProfile: {
        computerName: trimEnd(place.name.replaceAll(/[^\dA-Za-z-]/g, "-"), "-"),
        adminUsername: user,
        linuxConfiguration: {
          disablePasswordAuthentication: true,
          ssh: {
            publicKeys: listOf(attributes["admin_ssh_key"]).map((block) => ({
              path: `/home/${user}/.ssh/authorized_keys`,
              keyData: textOf(objectOf(block)["public_key"]),
            })),
          },
        },
      },
      networkProfile: {
        networkInterfaces: textsOf(attributes["network_interface_ids"]).map((id, index) => ({
          id,
          properties: { primary: index === 0, deleteOption: "Detach" },
        })),
      },
      diagnosticsProfile: { bootDiagnostics: { enabled: true } },
      ...renderSecurity(attributes),
      ...(data === "" ? {} : { userData: data }),
    },
  };
}

/** Renders the settings for trusted launch, and for encrypting caches and temporary disks on the machine's host. */
function renderSecurity(attributes: PartAttributes): object {
  const [isSecure, hasTpm, isEncrypted] = ["secure_boot_enabled", "vtpm_enabled", "encryption_at_host_enabled"].map(
    (field) => attributes[field] === true,
  );
  const launch =
    isSecure || hasTpm
      ? { securityType: "TrustedLaunch", uefiSettings: { secureBootEnabled: isSecure, vTpmEnabled: hasTpm } }
      : {};
  const profile = { ...launch, ...(isEncrypted ? { encryptionAtHost: true } : {}) };
  return Object.keys(profile).length === 0 ? {} : { securityProfile: profile };
}

function toAttributes(context: AzureContext, machine: VirtualMachine, userData: string): PartAttributes {
  const { properties = {}, tags, zones = [] } = machine;
  const more = properties as MoreProperties;
  const { status } = readStatus(machine);
  return {
    ...readPlace(context, machineKind, machine),
    zone: zones[0] ?? "",
    size: properties.hardwareProfile?.vmSize ?? "",
    source_image_id: tags?.[imageTag] ?? renderImage(properties.storageProfile?.imageReference),
    admin_username: properties.osProfile?.adminUsername ?? "",
    admin_ssh_key: (more.osProfile?.linuxConfiguration?.ssh?.publicKeys ?? []).map(({ keyData = "" }) => ({
      public_key: keyData,
    })),
    network_interface_ids: (properties.networkProfile?.networkInterfaces ?? []).map(({ id = "" }) => id),
    user_data: userData,
    os_disk: [
      {
        disk_size_gb: more.storageProfile?.osDisk?.diskSizeGB ?? 0,
        disk_encryption_set_id: more.storageProfile?.osDisk?.managedDisk?.diskEncryptionSet?.id ?? "",
      },
    ],
    secure_boot_enabled: more.securityProfile?.uefiSettings?.secureBootEnabled === true,
    vtpm_enabled: more.securityProfile?.uefiSettings?.vTpmEnabled === true,
    encryption_at_host_enabled: more.securityProfile?.encryptionAtHost === true,
    power_state: status === "stopped" || status === "stopping" ? "stopped" : "running",
    tags: listOwnTags(tags),
    virtual_machine_id: more.vmId ?? "",
  };
}

async function setPower(context: AzureContext, id: string, desired: unknown, signal: AbortSignal): Promise<void> {
  if (desired === undefined) return;
  if (desired !== "running" && desired !== "stopped")
    throw refuseRequest("azure", `power_state must be running or stopped, not ${JSON.stringify(desired)}`);
  const place = readReference(context, machineKind, id);
  const request = { path: machinePath(place), query: { $expand: "instanceView" }, signal };
  const machine = await context.api.call<VirtualMachine>(`read ${place.name}`, libraryOperations.getMachine, request);
  const { status, nativeStatus } = readStatus(machine);
  const options = { signal, timeoutMs: powerMs };
  if (desired === "running" && status !== "running")
    await changeMachine(context, place, "start", options, (now) => now.status === "running");
  if (desired === "stopped" && nativeStatus !== "PowerState/deallocated")
    await changeMachine(context, place, "stop", options, (now) => now.nativeStatus === "PowerState/deallocated");
}
