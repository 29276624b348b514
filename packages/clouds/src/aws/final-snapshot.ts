import { Fault } from "@cloudwright/platform";
import type { FinalSnapshot } from "../cloud-provider.ts";
import { cloudsFaults } from "../faults.ts";
import type { AwsApi } from "./api.ts";

/**
 * Tag that identifies the final snapshot of an entity. The ownership tag is not used, because a deletion would then remove the snapshot as
 * well.
 */
const snapshotTag = "cloudwright:final-snapshot-of";

/**
 * Starts the final snapshot of a volume, unless an earlier attempt has already started it. Returns whether the snapshot is complete, or
 * true if the volume does not exist.
 */
export async function snapshotVolume(api: AwsApi, volumeId: string, { entityUid, name, tags }: FinalSnapshot): Promise<boolean> {
  return api.call(`snapshot the volume ${volumeId}`, async (clients) => {
    const { CreateSnapshotCommand, paginateDescribeSnapshots } = await import("@aws-sdk/client-ec2");
    const client = await clients.ec2();
    const Filters = [
      { Name: `tag:${snapshotTag}`, Values: [entityUid] },
      { Name: "volume-id", Values: [volumeId] },
    ];
    const found = [];
    for await (const page of paginateDescribeSnapshots({ client }, { OwnerIds: ["self"], Filters }))
      found.push(...(page.Snapshots ?? []));
    if (found.some(({ State }) => State === "completed")) return true;
    if (found.some(({ State }) => State === "pending")) return false;
    const failed = found.find(({ State }) => State === "error");
    if (failed !== undefined) {
      const message = `EC2 could not complete the final snapshot ${failed.SnapshotId} of the volume ${volumeId}: ${failed.StateMessage ?? ""}; delete that snapshot and retry`;
      throw new Fault(cloudsFaults.failed, message);
    }
    const all = { ...tags, Name: `${name}-final`, [snapshotTag]: entityUid };
    const Tags = Object.entries(all).map(([Key, Value]) => ({ Key, Value }));
    const TagSpecifications = [{ ResourceType: "snapshot" as const, Tags }];
    const Description = `Final snapshot of the volume of ${name}`;
    try {
      await client.send(new CreateSnapshotCommand({ VolumeId: volumeId, Description, TagSpecifications }));
    } catch (error) {
      if ((error as Error).name === "InvalidVolume.NotFound") return true;
      throw error;
    }
    return false;
  });
}
