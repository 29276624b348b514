import { numberOf, textOf } from "../../values/read-value.ts";
import type { ValueMap } from "../../values/value.ts";
import type { HookContext } from "../../provider/definition.ts";
import { checkName, checkZones } from "../names.ts";
import type { Refusal } from "../refusal.ts";
import { inGroup, type AzureChange, type AzureResource } from "../resource.ts";

const fastTypes = new Set(["PremiumV2_LRS", "UltraSSD_LRS"]);
const largest: Readonly<Record<string, number>> = { PremiumV2_LRS: 65_536, UltraSSD_LRS: 65_536 };

const disk: AzureResource = {
  noun: "Managed Disk",
  path: `${inGroup}/Microsoft.Compute/disks/{name}`,
  forceNew: [
    "create_option",
    "edge_zone",
    "hyper_v_generation",
    "image_reference_id",
    "logical_sector_size",
    "performance_plus_enabled",
    "source_resource_id",
    "source_uri",
    "storage_account_id",
    "zone",
  ],
  defaults: {
    network_access_policy: "AllowAll",
    optimized_frequent_attach_enabled: false,
    performance_plus_enabled: false,
    public_network_access_enabled: true,
  },
  takes: { create: 4, update: 4, delete: 4 },
  limits: [
    {
      quota: "managed-disks-per-region",
      within: "location",
      refusal: (limit) => ({
        code: "OperationNotAllowed",
        message: `Operation could not be completed as it results in exceeding approved ManagedDiskCount quota. Current Limit: ${limit}.`,
        status: 409,
      }),
    },
  ],
  held: (id, holder) => ({
    code: "OperationNotAllowed",
    message: `Disk ${id.split("/").at(-1)} is attached to VM ${holder.id}.`,
    status: 409,
  }),
  async check(change, context) {
    if (change.operation === "delete") return [];
    const wrong = checkDisk(change);
    return wrong.length > 0 || change.operation === "create" ? wrong : checkAttached(change, context);
  },
  compute: ({ planned }) => describeDisk(planned),
};

function checkDisk({ operation, prior, planned }: AzureChange): readonly Refusal[] {
  const zone = textOf(planned["zone"]);
  const type = textOf(planned["storage_account_type"]);
  const wrong = [...checkName(planned, 80), ...checkZones(zone === "" ? [] : [zone], planned)];
  if (wrong.length > 0) return wrong;
  if (fastTypes.has(type) && zone === "")
    return [{ code: "BadRequest", message: `${type} disks can only be created in an availability zone.`, path: ["zone"] }];
  if (type.endsWith("_ZRS") && zone !== "")
    return [{ code: "BadRequest", message: "Zone cannot be specified for zone redundant disks.", path: ["zone"] }];
  const [before, after] = [numberOf(prior["disk_size_gb"]), numberOf(planned["disk_size_gb"])];
  const most = largest[type] ?? 32_767;
  if (after > most) {
    const message = `The value '${after}' of parameter 'disk.diskSizeGB' is out of range. The value '${after}' must be between '1' and '${most}', inclusive.`;
    return [{ code: "InvalidParameter", message, path: ["disk_size_gb"] }];
  }
  if (operation === "update" && after < before) {
    const message = `Disk shrinking is not supported. New disk size should be greater than the current disk size of ${before} GB.`;
    return [{ code: "ResizeDiskError", message, status: 409, path: ["disk_size_gb"] }];
  }
  return [];
}

/** The size above which a disk cannot grow while a running machine uses it. */
const liveGrowthGiB = 4096;

/** Azure grows a disk that a running machine uses only below 4 TiB, and does not change its type. */
async function checkAttached({ id, prior, planned }: AzureChange, context: HookContext): Promise<readonly Refusal[]> {
  const owner = textOf((await context.find({ type: "azurerm_managed_disk", id }))?.attributes["api_managed_by"]);
  const machine = owner === "" ? undefined : await context.find({ type: "azurerm_linux_virtual_machine", id: owner });
  if (machine === undefined || machine.attributes["api_power"] === "deallocated") return [];
  const [before, after] = [numberOf(prior["disk_size_gb"]), numberOf(planned["disk_size_gb"])];
  const isCrossing = after > before && before <= liveGrowthGiB && after > liveGrowthGiB;
  const isRetyped = prior["storage_account_type"] !== planned["storage_account_type"];
  if (!isCrossing && !isRetyped) return [];
  const message = `Disk cannot be ${isCrossing ? "resized beyond 4 TiB" : "changed to another type"} while it is attached to the running VM ${owner}.`;
  return [{ code: "OperationNotAllowed", message, status: 409 }];
}

function describeDisk(planned: ValueMap): Record<string, number | string> {
  const isFast = fastTypes.has(textOf(planned["storage_account_type"]));
  return {
    disk_iops_read_write: isFast ? 3000 : 500,
    disk_mbps_read_write: isFast ? 125 : 100,
    disk_iops_read_only: 0,
    disk_mbps_read_only: 0,
    logical_sector_size: 0,
    max_shares: 0,
    source_uri: "",
    tier: textOf(planned["storage_account_type"]).startsWith("Premium_") ? "P10" : "",
  };
}

/** The managed disk resource type. */
export const disks = { azurerm_managed_disk: disk } as const;
