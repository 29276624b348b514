import { isObject, listOf, objectOf, textOf, textsOf } from "@cloudwright/platform";
import type { ApiCall } from "../../../api/api-service.ts";
import type { ResourceMapping } from "../../../api/map-fields.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { mapOf } from "../../../values/read-value.ts";
import { isList, type Value, type ValueMap } from "../../../values/value.ts";

/** The fields of a virtual machine. */
export const machineMapping: ResourceMapping = {
  type: "azurerm_linux_virtual_machine",
  model: "VirtualMachine",
  fields: [
    { api: "zones", attribute: "zone", read: toZones, write: (value) => textsOf(value)[0] ?? null },
    ["identity.type", "identity.0.type"],
    { api: "properties.vmId", attribute: "virtual_machine_id", isReadOnly: true },
    ["properties.hardwareProfile.vmSize", "size"],
    ["properties.storageProfile.imageReference.id", "source_image_id"],
    ["properties.storageProfile.imageReference.publisher", "source_image_reference.0.publisher"],
    ["properties.storageProfile.imageReference.offer", "source_image_reference.0.offer"],
    ["properties.storageProfile.imageReference.sku", "source_image_reference.0.sku"],
    ["properties.storageProfile.imageReference.version", "source_image_reference.0.version"],
    ["properties.storageProfile.osDisk.name", "os_disk.0.name"],
    ["properties.storageProfile.osDisk.caching", "os_disk.0.caching"],
    ["properties.storageProfile.osDisk.diskSizeGB", "os_disk.0.disk_size_gb"],
    ["properties.storageProfile.osDisk.managedDisk.storageAccountType", "os_disk.0.storage_account_type"],
    { api: "properties.storageProfile.osDisk.managedDisk.id", attribute: "os_managed_disk_id", isReadOnly: true },
    ["properties.storageProfile.osDisk.managedDisk.diskEncryptionSet.id", "os_disk.0.disk_encryption_set_id"],
    ["properties.osProfile.computerName", "computer_name"],
    ["properties.osProfile.adminUsername", "admin_username"],
    { api: "properties.osProfile.customData", attribute: "custom_data", read: () => undefined },
    ["properties.osProfile.linuxConfiguration.disablePasswordAuthentication", "disable_password_authentication"],
    { api: "properties.osProfile.linuxConfiguration.ssh.publicKeys", attribute: "admin_ssh_key", read: toKeys, write: fromKeys },
    {
      api: "properties.networkProfile.networkInterfaces",
      attribute: "network_interface_ids",
      read: toCards,
      write: (value) => listOf(value).map((each) => textOf(objectOf(each)["id"])),
    },
    {
      api: "properties.diagnosticsProfile.bootDiagnostics.enabled",
      attribute: "boot_diagnostics",
      read: (value) => isList(value) && value.length > 0,
      write: (value) => (value === true ? [{}] : []),
    },
    { api: "properties.userData", attribute: "user_data", read: () => undefined },
    { api: "properties.priority", attribute: "priority", read: (value) => (value === "Spot" ? value : undefined) },
    ["properties.evictionPolicy", "eviction_policy"],
    ["properties.securityProfile.encryptionAtHost", "encryption_at_host_enabled"],
    ["properties.securityProfile.uefiSettings.secureBootEnabled", "secure_boot_enabled"],
    ["properties.securityProfile.uefiSettings.vTpmEnabled", "vtpm_enabled"],
  ],
};

function toZones(value: Value): unknown {
  return textOf(value) === "" ? undefined : [textOf(value)];
}

function toKeys(value: Value): unknown {
  const keys = (isList(value) ? value : []).map(mapOf);
  if (keys.length === 0) return undefined;
  return keys.map((key) => ({
    path: `/home/${textOf(key["username"])}/.ssh/authorized_keys`,
    keyData: textOf(key["public_key"]),
  }));
}

function fromKeys(value: unknown): Value {
  return listOf(value)
    .filter(isObject)
    .map((key): ValueMap => ({
      username: /^\/home\/([^/]+)\//.exec(textOf(key["path"]))?.[1] ?? "",
      public_key: textOf(key["keyData"]),
    }));
}

function toCards(value: Value, { attributes }: CloudRecord): unknown {
  const marked = textsOf(attributes["api_delete_ids"]).map((id) => id.toLowerCase());
  return textsOf(value).map((id, index) => ({
    id,
    properties: { primary: index === 0, deleteOption: marked.includes(id.toLowerCase()) ? "Delete" : "Detach" },
  }));
}

/**
 * Returns what a request marks for deletion together with the machine: the ids of network interfaces, and whether the system disk is
 * marked.
 */
export function readMarked(body: unknown): { readonly cards: readonly string[]; readonly isDisk: boolean } {
  const properties = objectOf(objectOf(body)["properties"]);
  const cards = listOf(objectOf(properties["networkProfile"])["networkInterfaces"]).map(objectOf);
  const isMarked = (given: unknown): boolean => textOf(objectOf(given)["deleteOption"]) === "Delete";
  return {
    cards: cards.flatMap((card) => (isMarked(card["properties"]) ? [textOf(card["id"])] : [])),
    isDisk: isMarked(objectOf(properties["storageProfile"])["osDisk"]),
  };
}

const passing: Readonly<Record<string, string>> = {
  VirtualMachines_Start: "starting",
  VirtualMachines_PowerOff: "stopping",
  VirtualMachines_Deallocate: "deallocating",
};

/** Renders the instance view of a machine: its provisioning state and its power state. */
export function renderInstanceView(call: ApiCall, record: CloudRecord): Record<string, unknown> {
  const pending = call.operations.findPending(record);
  const state =
    pending === undefined ? "succeeded" : { create: "creating", update: "updating", delete: "deleting" }[pending.verb];
  const power = pending?.verb === "create" ? undefined : (passing[pending?.name ?? ""] ?? powerOf(record));
  const status = (code: string, displayStatus: string) => ({ code, level: "Info", displayStatus });
  return {
    statuses: [
      status(`ProvisioningState/${state}`, `Provisioning ${state}`),
      ...(power === undefined ? [] : [status(`PowerState/${power}`, `VM ${power}`)]),
    ],
  };
}

/** Returns the power state of a machine, regardless of operations in progress. */
export function powerOf({ attributes }: CloudRecord): string {
  return textOf(attributes["api_power"]) || "running";
}
