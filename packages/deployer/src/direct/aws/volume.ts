import { getCloud } from "@cloudwright/contract/clouds";
import type { Blueprint } from "../../executor/in-process/blueprint.ts";
import { textOf } from "../../read-spec.ts";
import { renderTags } from "../../render-tags.ts";
import { openTypes } from "../open-types.ts";
import { findInstanceId } from "../find-instance-id.ts";

const type = "aws_ebs_volume";
const address = `${type}.this`;
const defaultType = "gp3";
const { regions } = getCloud("aws");

/** An encrypted EBS volume. Attaching it is an update of the volume, so its data is never part of a replacement. */
export const awsVolumeBlueprint: Blueprint<"Volume"> = {
  service: "volume",
  cloud: "aws",
  version: "v1.0.0",
  openTypes: (work) => openTypes(work, [type]),
  resources(entity, _account, around) {
    const { region, zone, sizeGib, type: volumeType } = entity.spec;
    return [
      {
        type,
        name: "this",
        attributes: {
          availability_zone: regions.renderZone(region, zone || (regions.defaultZones[0] ?? "")),
          size: sizeGib,
          type: volumeType || defaultType,
          encrypted: true,
          instance_id: findInstanceId(entity, around),
          tags: { Name: entity.name, ...renderTags("aws", entity) },
          ready: true,
        },
      },
    ];
  },
  outputs(attributesOf, { spec }) {
    const { id, instance_id: instance, device, size = 0 } = attributesOf(address);
    const isAttached = textOf(instance) !== "";
    return {
      volume_id: textOf(id),
      attached_to: isAttached ? spec.instance : "",
      device: isAttached ? textOf(device) : "",
      size_gib: size,
    };
  },
};
