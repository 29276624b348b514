import { hostsFaults, pathInInstance, type Host } from "@cloudwright/hosts";
import { Fault, numberOf, textOf, type JsonObject } from "@cloudwright/platform";
import type { HostResources } from "./create-part.ts";
import { parseOwnedId } from "./owned-id.ts";

/** Volumes of a host. Attaching a volume is an update, so its data is never part of a replacement. */
export function createVolumes({ host }: { readonly host: Pick<Host, "volumes" | "attachVolume"> }): HostResources {
  const { volumes } = host;

  async function ensure(id: string, attributes: JsonObject, signal: AbortSignal): Promise<void> {
    const [sizeGib, instance] = [numberOf(attributes["size_gib"]), textOf(attributes["instance_id"])];
    const existing = await volumes.find(id);
    if (existing?.isComplete !== true) {
      const fromSnapshot = await findSnapshot(textOf(attributes["source_snapshot_uid"]));
      await volumes.create({ uid: id, sizeGib, ...(fromSnapshot === undefined ? {} : { fromSnapshot }) }, signal);
    }
    // Also needed if the size is right, because an earlier attempt may have been interrupted. The same applies to the attachment.
    await volumes.resize(id, sizeGib, signal);
    const attached = existing?.attachedTo ?? "";
    if (attached !== "" && attached !== instance) await volumes.detach(id, {}, signal);
    if (instance !== "") await host.attachVolume(id, instance, signal);
  }

  /** Returns the id of the snapshot that an entity owns. Returns undefined if there is no entity. */
  async function findSnapshot(entityUid: string): Promise<string | undefined> {
    if (entityUid === "") return undefined;
    const found = (await volumes.listSnapshots()).find(({ uid }) => parseOwnedId(uid)?.entityUid === entityUid);
    if (found !== undefined) return found.uid;
    const message = `the snapshot ${entityUid} does not exist on this machine; create the volume from another snapshot`;
    throw new Fault(hostsFaults.volume_not_found, message);
  }

  return {
    name: "local_volume",
    immutable: ["source_snapshot_uid"],
    listIds: async () => (await volumes.list()).map(({ uid }) => uid),
    create: ensure,
    update: ensure,
    async read(id) {
      const volume = await volumes.find(id);
      if (volume === undefined) return undefined;
      const { sizeGib, attachedTo = "", isComplete, fromSnapshot } = volume;
      const source = fromSnapshot === undefined ? "" : (parseOwnedId(fromSnapshot)?.entityUid ?? "");
      return {
        size_gib: sizeGib,
        instance_id: attachedTo,
        device: pathInInstance(id),
        ready: isComplete,
        failed: false,
        ...(source === "" ? {} : { source_snapshot_uid: source }),
      };
    },
    async remove(id, signal) {
      // The data is deleted anyway, so a file system that is still mounted is unmounted.
      if ((await volumes.find(id))?.attachedTo !== undefined) await volumes.detach(id, { force: true }, signal);
      await volumes.remove(id, signal);
    },
  };
}
