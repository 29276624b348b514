import { pathInInstance, type Host } from "@cloudwright/hosts";
import { numberOf, textOf, type JsonObject } from "@cloudwright/platform";
import type { HostResources } from "./create-part.ts";

/** Volumes of a host. Attaching a volume is an update, so its data is never part of a replacement. */
export function createVolumes({ host }: { readonly host: Pick<Host, "volumes" | "attachVolume"> }): HostResources {
  const { volumes } = host;

  async function ensure(id: string, attributes: JsonObject, signal: AbortSignal): Promise<void> {
    const [sizeGib, instance] = [numberOf(attributes["size_gib"]), textOf(attributes["instance_id"])];
    const existing = await volumes.find(id);
    if (existing?.isComplete !== true) await volumes.create({ uid: id, sizeGib }, signal);
    // Also needed if the size is right, because an earlier attempt may have been interrupted. The same applies to the attachment.
    await volumes.resize(id, sizeGib, signal);
    const attached = existing?.attachedTo ?? "";
    if (attached !== "" && attached !== instance) await volumes.detach(id, {}, signal);
    if (instance !== "") await host.attachVolume(id, instance, signal);
  }

  return {
    name: "local_volume",
    immutable: [],
    listIds: async () => (await volumes.list()).map(({ uid }) => uid),
    create: ensure,
    update: ensure,
    async read(id) {
      const volume = await volumes.find(id);
      if (volume === undefined) return undefined;
      const { sizeGib, attachedTo = "", isComplete } = volume;
      return { size_gib: sizeGib, instance_id: attachedTo, device: pathInInstance(id), ready: isComplete, failed: false };
    },
    async remove(id, signal) {
      // The data is deleted anyway, so a file system that is still mounted is unmounted.
      if ((await volumes.find(id))?.attachedTo !== undefined) await volumes.detach(id, { force: true }, signal);
      await volumes.remove(id, signal);
    },
  };
}
