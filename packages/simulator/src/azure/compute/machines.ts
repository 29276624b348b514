import { getQuota } from "../../cloud/quotas.ts";
import type { CloudRecord, RecordKey } from "../../inventory/inventory.ts";
import type { HookContext, SideEffects } from "../../provider/definition.ts";
import { blockOf, numberOf, textOf, textsAt } from "../../values/read-value.ts";
import type { Value, ValueMap } from "../../values/value.ts";
import { checkName, checkZones, missingReference } from "../names.ts";
import { guid, subscriptionOf } from "../place.ts";
import type { Refusal } from "../refusal.ts";
import { inGroup, type AzureChange, type AzureResource } from "../resource.ts";
import { findVmSize } from "./vm-sizes.ts";

const machine: AzureResource = {
  noun: "Linux Virtual Machine",
  path: `${inGroup}/Microsoft.Compute/virtualMachines/{name}`,
  forceNew: [
    "admin_username",
    "admin_ssh_key",
    "computer_name",
    "custom_data",
    "disable_password_authentication",
    "eviction_policy",
    "os_disk.name",
    "priority",
    "source_image_id",
    "source_image_reference",
    "zone",
  ],
  defaults: {
    "os_disk.write_accelerator_enabled": false,
    bypass_platform_safety_checks_on_user_schedule_enabled: false,
    extensions_time_budget: "PT1H30M",
    max_bid_price: -1,
    platform_fault_domain: -1,
    priority: "Regular",
  },
  names: [
    { path: "network_interface_ids", to: ["azurerm_network_interface"], missing: missingReference, tie: "holds" },
    { path: "os_managed_disk_id", to: ["azurerm_managed_disk"], tie: "holds" },
    // Only the API attaches data disks.
    { path: "api_data_disks.id", to: ["azurerm_managed_disk"], tie: "holds" },
  ],
  takes: { create: 45, update: 20, delete: 20 },
  check: (change, context) => (change.operation === "delete" ? [] : checkMachine(change, context)),
  compute: (change, context) => describeMachine(change, context),
  sideEffects: (change, context) => followMachine(change, context),
};

async function checkMachine({ operation, id, planned }: AzureChange, context: HookContext): Promise<readonly Refusal[]> {
  const [size, zone, location] = ["size", "zone", "location"].map((name) => textOf(planned[name]));
  const wrong = [...checkName(planned, 64), ...checkZones(zone === undefined || zone === "" ? [] : [zone], planned)];
  if (wrong.length > 0) return wrong;
  const vcpus = findVmSize(size ?? "")?.vcpus;
  if (vcpus === undefined) {
    const message = `The value ${size} provided for the VM size is not valid.`;
    return [{ code: "InvalidParameter", message, path: ["size"] }];
  }
  if (operation === "create" && context.conditions.fullZones?.includes(`${location}-${zone}`) === true) {
    const message = `Allocation failed. We do not have sufficient capacity for the requested VM size in this zone (${zone}).`;
    return [{ code: "ZonalAllocationFailed", message, status: 409 }];
  }
  const others = (await context.list("azurerm_linux_virtual_machine")).filter((each) => each.id !== id);
  const cards = textsAt(planned, "network_interface_ids");
  const user = others.find(({ attributes }) => textsAt(attributes, "network_interface_ids").some((card) => cards.includes(card)));
  if (user !== undefined) {
    return [{ code: "NicInUse", message: `Network Interface ${cards[0] ?? ""} is used by existing resource ${user.id}.` }];
  }
  const used = others.reduce((sum, { attributes }) => sum + (findVmSize(textOf(attributes["size"]))?.vcpus ?? 0), 0);
  const limit = getQuota("vcpus-per-region", context.conditions);
  if (used + vcpus <= limit) return [];
  const message = `Operation could not be completed as it results in exceeding approved Total Regional Cores quota. Location: ${location}, Current Limit: ${limit}, Current Usage: ${used}, Additional Required: ${vcpus}.`;
  return [{ code: "OperationNotAllowed", message, status: 409 }];
}

async function describeMachine({ id, planned }: AzureChange, context: HookContext): Promise<Record<string, Value>> {
  const [first] = textsAt(planned, "network_interface_ids");
  const cards = await context.list("azurerm_network_interface");
  const card = cards.find((each) => each.id.toLowerCase() === first?.toLowerCase());
  const [addressId] = textsAt(card?.attributes, "ip_configuration.public_ip_address_id");
  const address = (await context.list("azurerm_public_ip")).find((each) => each.id.toLowerCase() === addressId?.toLowerCase());
  const [privateIp, publicIp] = [textOf(card?.attributes["private_ip_address"]), textOf(address?.attributes["ip_address"])];
  const diskName = textOf(blockOf(planned, "os_disk")["name"]) || `${textOf(planned["name"])}_OsDisk_1_${hex(id)}`;
  const diskId = diskIdOf(planned, diskName, context);
  return {
    virtual_machine_id: guid(`machine ${id}`),
    computer_name: textOf(planned["name"]),
    private_ip_address: privateIp,
    private_ip_addresses: privateIp === "" ? [] : [privateIp],
    public_ip_address: publicIp,
    public_ip_addresses: publicIp === "" ? [] : [publicIp],
    os_managed_disk_id: diskId,
    os_disk: [{ name: diskName, id: diskId, disk_size_gb: 30, storage_account_type: "Premium_LRS" }],
    allow_extension_operations: true,
    disable_password_authentication: true,
    disk_controller_type: "SCSI",
    patch_assessment_mode: "ImageDefault",
    patch_mode: "ImageDefault",
    provision_vm_agent: true,
    vm_agent_platform_updates_enabled: false,
    identity: [{ principal_id: guid(`machine principal ${id}`), tenant_id: guid(`tenant ${context.tenant}`) }],
  };
}

function diskIdOf(attributes: ValueMap, name: string, context: HookContext): string {
  const group = `/subscriptions/${subscriptionOf(context)}/resourceGroups/${textOf(attributes["resource_group_name"])}`;
  return `${group}/providers/Microsoft.Compute/disks/${name}`;
}

function hex(id: string): string {
  return guid(`disk ${id}`).replaceAll("-", "");
}

/**
 * Azure creates the system disk with the machine. When it deletes the machine, it also deletes the resources that the request marked for
 * deletion. If Terraform created the machine, its provider deletes the system disk instead.
 */
async function followMachine({ operation, id, prior, planned }: AzureChange, context: HookContext): Promise<SideEffects> {
  if (operation === "create") return { put: [createDisk(id, planned)] };
  if (operation === "update") return {};
  const marked = prior["api_created_ms"] === undefined ? [textOf(prior["os_managed_disk_id"])] : textsAt(prior, "api_delete_ids");
  const disk = await context.find({ type: "azurerm_managed_disk", id: textOf(prior["os_managed_disk_id"]) });
  const gone = await findMarked(marked, context);
  const isDiskGone = gone.some((each) => each.id === disk?.id);
  const left = [...(disk === undefined || isDiskGone ? [] : [disk]), ...(await findAttached(id, context))];
  const freed = left.filter((each) => !gone.some((other) => other.id === each.id));
  return { delete: gone, put: freed.map((each) => ({ ...each, attributes: { ...each.attributes, api_managed_by: "" } })) };
}

/** Returns the data disks of a machine. They outlive it. */
async function findAttached(id: string, context: HookContext): Promise<readonly CloudRecord[]> {
  const disks = await context.list("azurerm_managed_disk");
  return disks.filter(({ attributes }) => attributes["api_managed_by"] === id && attributes["os_type"] !== "Linux");
}

/** Returns the marked records, and the records that they in turn mark for deletion, such as the address of a network interface. */
async function findMarked(ids: readonly string[], context: HookContext): Promise<readonly RecordKey[]> {
  const wanted = new Set(ids.map((id) => id.toLowerCase()));
  const all = (await context.list()).filter(({ type }) => type.startsWith("azurerm_"));
  const first = all.filter((record) => wanted.has(record.id.toLowerCase()));
  const next = new Set(first.flatMap(({ attributes }) => textsAt(attributes, "api_delete_ids")).map((id) => id.toLowerCase()));
  return [...first, ...all.filter((record) => next.has(record.id.toLowerCase()))];
}

function createDisk(id: string, planned: ValueMap): CloudRecord {
  const disk = blockOf(planned, "os_disk");
  const diskId = textOf(planned["os_managed_disk_id"]);
  const { resource_group_name, location, zone } = planned;
  return {
    type: "azurerm_managed_disk",
    id: diskId,
    attributes: {
      id: diskId,
      name: diskId.split("/").at(-1) ?? "",
      resource_group_name: resource_group_name ?? "",
      location: location ?? "",
      zone: zone ?? null,
      create_option: "FromImage",
      os_type: "Linux",
      disk_size_gb: numberOf(disk["disk_size_gb"]) || 30,
      storage_account_type: textOf(disk["storage_account_type"]) || "Premium_LRS",
      disk_encryption_set_id: disk["disk_encryption_set_id"] ?? null,
      tags: {},
      api_managed_by: id,
    },
  };
}

/** The virtual machine resource type. */
export const machines = { azurerm_linux_virtual_machine: machine } as const;
