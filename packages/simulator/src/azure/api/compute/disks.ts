import { textOf } from "@cloudwright/platform";
import type { ApiOperation } from "../../../api/api-service.ts";
import type { ResourceMapping } from "../../../api/map-fields.ts";
import { objectOf } from "@cloudwright/platform";
import { listArmOperations } from "../arm-kind.ts";
import { findById } from "../arm-resources.ts";
import { powerOf } from "./machine-mapping.ts";

/** The fields of a managed disk. */
export const diskMapping: ResourceMapping = {
  type: "azurerm_managed_disk",
  model: "Disk",
  fields: [
    ["sku.name", "storage_account_type"],
    { api: "zones", attribute: "zone", read: (zone) => (textOf(zone) === "" ? undefined : [textOf(zone)]), write: firstOf },
    ["properties.creationData.createOption", "create_option"],
    ["properties.creationData.sourceResourceId", "source_resource_id"],
    ["properties.diskSizeGB", "disk_size_gb"],
    ["properties.osType", "os_type"],
    ["properties.hyperVGeneration", "hyper_v_generation"],
    ["properties.encryption.diskEncryptionSetId", "disk_encryption_set_id"],
    ["properties.networkAccessPolicy", "network_access_policy"],
    ["properties.tier", "tier"],
    ["properties.diskIOPSReadWrite", "disk_iops_read_write"],
    ["properties.diskMBpsReadWrite", "disk_mbps_read_write"],
  ],
};

function firstOf(value: unknown): string | null {
  return Array.isArray(value) ? textOf(value[0]) || null : null;
}

/** Operations on managed disks. */
export const diskOperations: readonly ApiOperation[] = listArmOperations({
  mapping: diskMapping,
  path: "Microsoft.Compute/disks/{diskName}",
  title: "Disks",
  names: { list: "ListByResourceGroup", listAll: "List", update: "Update" },
  read: (_call, body, existing) => ({
    config: existing !== undefined || objectOf(body)["sku"] !== undefined ? {} : { storage_account_type: "Standard_LRS" },
  }),
  async complete(call, { attributes }, rendered) {
    const owner = textOf(attributes["api_managed_by"]);
    const machine = owner === "" ? undefined : await findById(call, "azurerm_linux_virtual_machine", owner);
    const inUse = machine !== undefined && powerOf(machine) === "deallocated" ? "Reserved" : "Attached";
    const properties = { ...objectOf(rendered["properties"]), diskState: owner === "" ? "Unattached" : inUse };
    return { ...rendered, properties, ...(owner === "" ? {} : { managedBy: owner }) };
  },
});
