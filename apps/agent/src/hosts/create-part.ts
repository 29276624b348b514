import { cloudsFaults, type CloudPart } from "@cloudwright/clouds";
import { Fault, type JsonObject } from "@cloudwright/platform";
import { parseOwnedId, renderOwnedId } from "./owned-id.ts";

/** Resources of one type on a host. Every function can be repeated after it failed or was interrupted. */
export interface HostResources {
  readonly name: string;
  readonly immutable: readonly string[];
  readonly onlyForCreation?: readonly string[];
  readonly sensitive?: readonly string[];
  /** Lists the ids of all resources on the host, including incomplete ones. */
  listIds(): Promise<readonly string[]>;
  create(id: string, attributes: JsonObject, signal: AbortSignal): Promise<void>;
  /** Returns undefined if nothing of the resource exists. */
  read(id: string, signal: AbortSignal): Promise<JsonObject | undefined>;
  update(id: string, attributes: JsonObject, signal: AbortSignal): Promise<void>;
  remove(id: string, signal: AbortSignal): Promise<void>;
  readConsole?(id: string): Promise<string>;
  readHostKeys?(id: string): Promise<readonly string[]>;
}

/** Creates a part that manages the resources of one entity on a host. The ids of the resources contain their owner. */
export function createPart(entityUid: string, resources: HostResources): CloudPart {
  const { name, immutable, onlyForCreation, sensitive, readConsole, readHostKeys } = resources;
  const owns = async (id: string): Promise<boolean> => (await resources.listIds()).includes(id);
  const readAfter = async (id: string, signal: AbortSignal): Promise<JsonObject> => {
    const attributes = await resources.read(id, signal);
    if (attributes !== undefined) return attributes;
    throw new Fault(cloudsFaults.conflict, `${name} ${id} was deleted while it was changed`);
  };
  return {
    name,
    immutable,
    ...(onlyForCreation === undefined ? {} : { onlyForCreation }),
    ...(sensitive === undefined ? {} : { sensitive }),
    create: (attributes, owner, signal) =>
      until(signal, async () => {
        const id = renderOwnedId(owner);
        await resources.create(id, attributes, signal);
        return { id, attributes: await readAfter(id, signal) };
      }),
    read: (id, signal) => until(signal, () => resources.read(id, signal)),
    update: (id, attributes, signal) =>
      until(signal, async () => {
        await resources.update(id, attributes, signal);
        return readAfter(id, signal);
      }),
    delete: (id, signal) =>
      until(signal, async () => {
        if (!(await owns(id))) return;
        const owner = parseOwnedId(id)?.entityUid;
        if (owner !== entityUid)
          throw new Fault(cloudsFaults.conflict, `${name} ${id} belongs to ${owner ?? "no entity"}, so it was not deleted`);
        await resources.remove(id, signal);
      }),
    listOwned: (uid, signal) =>
      until(signal, async () =>
        (await resources.listIds()).flatMap((id) => {
          const owner = parseOwnedId(id);
          return owner?.entityUid === uid ? [{ id, name: owner.name }] : [];
        }),
      ),
    findOwner: (id, signal) => until(signal, async () => ((await owns(id)) ? parseOwnedId(id)?.entityUid : undefined)),
    ...(readConsole === undefined ? {} : { readConsole: (id, signal) => until(signal, () => readConsole(id)) }),
    ...(readHostKeys === undefined ? {} : { readHostKeys: (id, signal) => until(signal, () => readHostKeys(id)) }),
  };
}

/** Runs work. If the signal stops it, rejects with the signal's reason instead of the error that stopping caused. */
async function until<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  signal.throwIfAborted();
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
