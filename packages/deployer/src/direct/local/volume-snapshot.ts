import type { Blueprint } from "../../executor/in-process/blueprint.ts";
import { textOf } from "../../read-spec.ts";
import { openTypes } from "../open-types.ts";
import { refuseLoss } from "./refuse-loss.ts";

const type = "local_volume_snapshot";
const address = `${type}.this`;

/** A copy of a disk on the user's machine. It is made once and never changes. */
export const localVolumeSnapshotBlueprint: Blueprint<"VolumeSnapshot"> = {
  service: "volumesnapshot",
  cloud: "local",
  version: "v1.0.0",
  openTypes: async (work) => (await openTypes(work, [type])).map((each) => refuseLoss(each, work, "snapshot_id")),
  resources: ({ spec }) => [{ type, name: "this", attributes: { volume_uid: spec.volumeUid, ready: true } }],
  outputs(attributesOf) {
    const { id, size_gib: sizeGib = 0, consistency, captured_at: capturedAt } = attributesOf(address);
    return {
      snapshot_id: textOf(id),
      size_gib: sizeGib,
      consistency: textOf(consistency),
      captured_at: textOf(capturedAt),
    };
  },
};
