import { getCloud, listSpecProblems } from "@cloudwright/contract/clouds";
import { defaultVolumeType } from "@cloudwright/contract/clouds/azure/volumes";
import { Fault } from "@cloudwright/platform";
import { refer, type Blueprint, type DesiredResource } from "../../executor/in-process/blueprint.ts";
import { deployerFaults } from "../../faults.ts";
import { numberOf, objectOf, textOf } from "../../read-spec.ts";
import { refuseProblems } from "../../refuse-problems.ts";
import { renderTags } from "../../render-tags.ts";
import type { DeployedAccount, DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import { findInstanceId } from "../find-instance-id.ts";
import { openTypes } from "../open-types.ts";
import { uniqueName } from "./names.ts";

type Volume = DeployedEntity<"Volume">;

// Each type comes before the types that refer to it.
const types = ["azurerm_resource_group", "azurerm_managed_disk", "azurerm_virtual_machine_data_disk_attachment"];
const [groupAddress, diskAddress, attachmentAddress] = types.map((type) => `${type}.this`) as [string, string, string];
const { regions } = getCloud("azure");
const healthy = { ready: true, failed: false };

/** A managed disk and, while the volume is attached, its attachment. Detaching deletes only the attachment. */
export const azureVolumeBlueprint: Blueprint<"Volume"> = {
  service: "volume",
  cloud: "azure",
  version: "v1.0.0",
  openTypes: (work) => openTypes(work, types),
  resources(entity, account, around) {
    const { name, spec } = entity;
    refuseProblems(name, listSpecProblems("azure", "Volume", { name, spec: { ...spec }, owner: {}, region: spec.region }));
    return listDesired(entity, account, around);
  },
  outputs(attributesOf, entity, around) {
    const [disk, attachment] = [attributesOf(diskAddress), attributesOf(attachmentAddress)];
    const isAttached = entity.spec.instance !== "";
    const lun = isAttached ? attachment["lun"] : around.outputs["lun"];
    return {
      volume_id: textOf(disk["id"]),
      attached_to: isAttached ? entity.spec.instance : "",
      device: isAttached ? renderDevice(attachment) : "",
      size_gib: numberOf(disk["disk_size_gb"]),
      region: entity.spec.region,
      zone: textOf(disk["zone"]),
      resource_group_name: textOf(disk["resource_group_name"]),
      // A volume that moves keeps its device path if the other instance has not given the number to another volume.
      ...(lun === undefined ? {} : { lun }),
    };
  },
};

/** Returns the link that the udev rules of Azure's images create. */
function renderDevice({ lun, disk_controller_type: controller }: JsonObject): string {
  const folder = controller === "NVMe" ? "/dev/disk/azure/data/by-lun/" : "/dev/disk/azure/scsi1/lun";
  return `${folder}${numberOf(lun)}`;
}

function listDesired(entity: Volume, account: DeployedAccount, around: Surroundings): readonly DesiredResource[] {
  const { spec } = entity;
  const [name, tags] = [uniqueName(entity), renderTags("azure", entity)];
  const existing = findGroup(entity, account, around.outputs);
  const type = spec.type || defaultVolumeType;
  const zone = chooseZone(entity, around);
  return [
    ...(existing === undefined ? [describe(groupAddress, { name, location: spec.region, tags, ...healthy })] : []),
    describe(diskAddress, {
      name,
      resource_group_name: existing ?? refer(groupAddress, "name"),
      location: spec.region,
      zone,
      storage_account_type: type,
      disk_size_gb: spec.sizeGib,
      // Nobody can export the disk over the network.
      network_access_policy: "DenyAll",
      tags,
      ...healthy,
    }),
    ...(spec.instance === "" ? [] : [describe(attachmentAddress, renderAttachment(entity, zone, around))]),
  ];
}

function describe(address: string, attributes: JsonObject): DesiredResource {
  const [type = "", name = ""] = address.split(".");
  return { type, name, attributes };
}

/** Renders the attachment. Throws if the instance cannot use the volume because of where it is. */
function renderAttachment(entity: Volume, zone: string, around: Surroundings): JsonObject {
  const { name, spec } = entity;
  const id = findInstanceId(entity, around);
  const instance = around.references.find(({ field }) => field === "instance")?.outputs ?? {};
  const [region, place] = [textOf(instance["region"]), textOf(instance["zone"])];
  const own = zone === "" ? "" : regions.renderZone(spec.region, zone);
  if (region !== spec.region || place !== own) {
    const where = (at: string, within: string): string => at || `${within}, in no zone`;
    const message = `spec.instance of ${name} is "${spec.instance}", which is in ${where(place, region)}, but the volume is in ${where(own, spec.region)}; a disk in Azure can be attached only to instances in its own zone`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  const { lun } = around.outputs;
  return {
    managed_disk_id: refer(diskAddress, "id"),
    virtual_machine_id: id,
    ...(lun === undefined ? {} : { lun }),
    ...healthy,
  };
}

/**
 * Returns the existing resource group for a volume, or undefined if the volume gets its own group. A volume that was built keeps its group,
 * because moving it would replace the disk.
 */
function findGroup(entity: Volume, account: DeployedAccount, outputs: JsonObject): string | undefined {
  const built = textOf(outputs["resource_group_name"]);
  if (built !== "") return built === uniqueName(entity) ? undefined : built;
  return textOf(objectOf(account.spec["azure"])["resourceGroup"]) || undefined;
}

/**
 * Returns the number of the volume's zone: the one that it was built in, the one that the spec names, or the region's first one. Returns an
 * empty string in regions without zones.
 */
function chooseZone({ spec }: Volume, { outputs }: Surroundings): string {
  const built = outputs["zone"];
  if (typeof built === "string") return built;
  const zone = spec.zone || (regions.findDefaultZones?.(spec.region) ?? [])[0] || "";
  return zone.slice(-1);
}
