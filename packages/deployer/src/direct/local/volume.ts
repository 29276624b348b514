import type { Blueprint } from "../../executor/in-process/blueprint.ts";
import { textOf } from "../../read-spec.ts";
import { findInstanceId } from "../find-instance-id.ts";
import { openTypes } from "../open-types.ts";

const type = "local_volume";
const address = `${type}.this`;

/** A disk on the user's machine. Attaching it is an update of the disk, so its data is never part of a replacement. */
export const localVolumeBlueprint: Blueprint<"Volume"> = {
  service: "volume",
  cloud: "local",
  version: "v1.0.0",
  openTypes: (work) => openTypes(work, [type]),
  resources: (entity, _account, around) => [
    {
      type,
      name: "this",
      attributes: { size_gib: entity.spec.sizeGib, instance_id: findInstanceId(entity, around), ready: true },
    },
  ],
  outputs(attributesOf, entity) {
    const { id, instance_id: instance, device, size_gib: sizeGib = 0 } = attributesOf(address);
    const isAttached = textOf(instance) !== "";
    return {
      volume_id: textOf(id),
      attached_to: isAttached ? entity.spec.instance : "",
      device: isAttached ? textOf(device) : "",
      size_gib: sizeGib,
    };
  },
};
