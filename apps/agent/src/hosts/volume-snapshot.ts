import { hostsFaults, type Host } from "@cloudwright/hosts";
import { Fault, textOf } from "@cloudwright/platform";
import type { HostResources } from "./create-part.ts";
import { parseOwnedId } from "./owned-id.ts";

/** Snapshots of a host's volumes. A snapshot is a copy that never changes. The volume can be deleted without it. */
export function createVolumeSnapshots({ host: { volumes } }: { readonly host: Pick<Host, "volumes"> }): HostResources {
  return {
    name: "local_volume_snapshot",
    immutable: ["volume_uid"],
    listIds: async () => (await volumes.listSnapshots()).map(({ uid }) => uid),
    async create(id, attributes, signal) {
      await volumes.snapshot(await findVolume(textOf(attributes["volume_uid"])), id, signal);
    },
    async read(id) {
      const snapshot = (await volumes.listSnapshots()).find(({ uid }) => uid === id);
      if (snapshot === undefined) return undefined;
      const { volume, sizeGib, consistency, capturedAtMs, isComplete = true } = snapshot;
      return {
        volume_uid: parseOwnedId(volume)?.entityUid ?? "",
        size_gib: sizeGib,
        consistency,
        captured_at: capturedAtMs === undefined ? "" : new Date(capturedAtMs).toISOString(),
        ready: isComplete,
        failed: false,
      };
    },
    // Called to complete an interrupted copy. Nothing else about a snapshot can change.
    async update(id, attributes, signal) {
      const existing = (await volumes.listSnapshots()).find(({ uid }) => uid === id);
      if (existing?.isComplete === false) await volumes.snapshot(await findVolume(textOf(attributes["volume_uid"])), id, signal);
    },
    remove: (id, signal) => volumes.removeSnapshot(id, signal),
  };

  /** Returns the id of the volume that an entity owns. */
  async function findVolume(entityUid: string): Promise<string> {
    const found = (await volumes.list()).find(({ uid }) => parseOwnedId(uid)?.entityUid === entityUid);
    if (found?.isComplete === true) return found.uid;
    const message = `the volume ${entityUid} does not exist on this machine, or is still being created; wait until the volume is RUNNING, then retry the operation`;
    throw new Fault(hostsFaults.volume_not_found, message);
  }
}
