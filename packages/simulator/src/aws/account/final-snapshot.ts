import type { SimulatedAccount } from "../../cloud/simulated-cloud.ts";
import type { Inventory } from "../../inventory/inventory.ts";
import { numberOf, textOf } from "../../values/read-value.ts";
import { hash } from "../place.ts";

/**
 * Takes the final snapshot of a simulated volume. The snapshot's id depends only on the entity and the volume, so an entity has at most one
 * snapshot.
 */
export async function snapshotVolume(
  inventory: Inventory,
  tenant: string,
  volumeId: string,
  { entityUid, name, tags }: Parameters<NonNullable<SimulatedAccount["snapshotVolume"]>>[1],
): Promise<boolean> {
  const volume = await inventory.find(tenant, { type: "aws_ebs_volume", id: volumeId });
  if (volume === undefined) return true;
  const id = `snap-${hash(`${entityUid} ${volumeId}`).slice(0, 17)}`;
  const { region, size } = volume.attributes;
  const attributes = {
    id,
    region: textOf(region),
    volume_id: volumeId,
    volume_size: numberOf(size),
    tags_all: { ...tags, Name: `${name}-final`, "cloudwright:final-snapshot-of": entityUid },
  };
  await inventory.create(tenant, { type: "aws_ebs_snapshot", id, attributes });
  return true;
}
