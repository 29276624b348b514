import { listDefaultZones, listSpecProblems } from "@cloudwright/contract/clouds";
import { defaultVolumeType } from "@cloudwright/contract/clouds/gcp/volumes";
import { Fault, trimEnd } from "@cloudwright/platform";
import { refer, type Blueprint, type DesiredResource } from "../../executor/in-process/blueprint.ts";
import { deployerFaults } from "../../faults.ts";
import { toZone } from "../../kubernetes/gcp/desired.ts";
import { numberOf, textOf } from "../../read-spec.ts";
import { refuseProblems } from "../../refuse-problems.ts";
import { renderTags } from "../../render-tags.ts";
import type { DeployedEntity, Surroundings } from "../../task.ts";
import { findInstanceId } from "../find-instance-id.ts";
import { openTypes } from "../open-types.ts";

type Volume = DeployedEntity<"Volume">;

const diskType = "google_compute_disk";
const attachmentType = "google_compute_attached_disk";
const [disk, attachment] = [`${diskType}.this`, `${attachmentType}.this`];

/** A persistent disk and, while the volume is attached, its attachment. Detaching deletes only the attachment. */
export const gcpVolumeBlueprint: Blueprint<"Volume"> = {
  service: "volume",
  cloud: "gcp",
  version: "v1.0.0",
  openTypes: (work) => openTypes(work, [diskType, attachmentType]),
  resources(entity, _account, around) {
    const { name, spec } = entity;
    refuseProblems(name, listSpecProblems("gcp", "Volume", { name, spec: { ...spec }, owner: {}, region: spec.region }));
    const zone = chooseZone(entity);
    const desired: DesiredResource = {
      type: diskType,
      name: "this",
      attributes: {
        name: renderName(entity),
        zone,
        type: spec.type || defaultVolumeType,
        size: spec.sizeGib,
        labels: renderTags("gcp", entity),
        // An update completes an interrupted creation.
        ready: true,
      },
    };
    return spec.instance === "" ? [desired] : [desired, renderAttachment(entity, zone, around)];
  },
  outputs(attributesOf, entity) {
    const { id, size } = attributesOf(disk);
    const isAttached = entity.spec.instance !== "";
    return {
      volume_id: textOf(id),
      attached_to: isAttached ? entity.spec.instance : "",
      // Google's udev rules on the instance create this link.
      device: isAttached ? `/dev/disk/by-id/google-${textOf(attributesOf(attachment)["device_name"])}` : "",
      size_gib: numberOf(size),
    };
  },
};

function chooseZone({ name, spec }: Volume): string {
  const { region, zone } = spec;
  return zone === "" ? (listDefaultZones("gcp", region)[0] ?? `${region}-a`) : toZone(zone, region, `spec.zone of ${name}`);
}

/** Renders a name that is unique in the zone. It ends with the last characters of the uid. */
function renderName({ name, uid }: Volume): string {
  return `${trimEnd(name.slice(0, 54), "-")}-${uid.replaceAll("-", "").slice(-8)}`;
}

function renderAttachment(entity: Volume, zone: string, around: Surroundings): DesiredResource {
  const { name, uid, spec } = entity;
  const instance = findInstanceId(entity, around);
  const [, other = ""] = /\/zones\/([^/]+)\//.exec(instance) ?? [];
  if (other !== zone) {
    const message = `spec.instance of ${name} is "${spec.instance}", which is in ${other}, but the volume is in ${zone}; a disk in Google Cloud can be attached only to instances in its own zone`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  return {
    type: attachmentType,
    name: "this",
    attributes: { disk: refer(disk, "id"), instance, device_name: `cw-${uid}`, mode: "READ_WRITE" },
  };
}
