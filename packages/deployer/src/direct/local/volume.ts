import type { Blueprint } from "../../executor/in-process/blueprint.ts";
import { textOf } from "../../read-spec.ts";
import { findInstanceId } from "../find-instance-id.ts";
import { openTypes } from "../open-types.ts";
import { refuseLoss } from "./refuse-loss.ts";

const type = "local_volume";
const address = `${type}.this`;

/** A disk on the user's machine. Attaching it is an update of the disk, so its data is never part of a replacement. */
export const localVolumeBlueprint: Blueprint<"Volume"> = {
  service: "volume",
  cloud: "local",
  version: "v1.0.0",
  openTypes: async (work) => (await openTypes(work, [type])).map((each) => refuseLoss(each, work, "volume_id")),
  resources: (entity, _account, around) => [
    {
      type,
      name: "this",
      attributes: {
        size_gib: entity.spec.sizeGib,
        instance_id: findInstanceId(entity, around),
        ready: true,
        // Volumes that were created empty do not have this attribute in their states.
        ...(entity.spec.sourceSnapshotUid === "" ? {} : { source_snapshot_uid: entity.spec.sourceSnapshotUid }),
      },
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
