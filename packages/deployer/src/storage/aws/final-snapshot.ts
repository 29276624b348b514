import { systemClock } from "@cloudwright/platform";
import type { Cloud } from "../../cloud.ts";
import { textOf } from "../../read-spec.ts";
import { renderTags } from "../../render-tags.ts";
import type { DeployedEntity, JsonObject } from "../../task.ts";

const pauseMs = 5000;

/**
 * Takes the final snapshot of a volume and waits until it is complete, however long that takes. A later attempt finds the snapshot of an
 * earlier attempt and does not create another. Terraform does not take the snapshot, because it limits the waiting time and would start a
 * new snapshot in each attempt.
 */
export async function takeFinalSnapshot(
  entity: DeployedEntity<"Storage">,
  outputs: JsonObject,
  { snapshotVolume }: Pick<Cloud, "snapshotVolume">,
  signal: AbortSignal,
): Promise<void> {
  const { type } = entity.spec;
  const volume = textOf(outputs["resource_id"]);
  if (type.case !== "volume" || !type.value.finalSnapshot || volume === "" || snapshotVolume === undefined) return;
  const tags = { ...renderTags("aws", entity), "cloudwright:project": entity.project };
  const snapshot = { entityUid: entity.uid, name: entity.name, tags };
  while (!(await snapshotVolume(volume, snapshot))) await systemClock.sleep(pauseMs, signal);
}
