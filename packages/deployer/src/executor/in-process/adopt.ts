import { addressOf } from "./blueprint.ts";
import { getType, type Engine } from "./engine.ts";
import { recordedAddress, type RecordedResource } from "./state-document.ts";

/**
 * Adopts resources that carry the entity's ownership tag but are missing from the state document. Such resources exist if a process was
 * interrupted or a document was lost. Ignores resources that a user told the platform to forget. Saves all adopted resources in one write
 * and returns their addresses.
 */
export async function adoptOwned({ task, types, store, forgotten }: Engine): Promise<readonly string[]> {
  const { uid } = task.payload.entity;
  const known = new Set([...store.current().resources, ...forgotten].map(({ type, id }) => `${type} ${id}`));
  const adopted: RecordedResource[] = [];
  for (const type of types.values()) {
    for (const { id, name } of await type.listOwned(uid, task.signal)) {
      if (known.has(`${type.name} ${id}`)) continue;
      const attributes = await getType({ types }, type.name).read(id, task.signal);
      if (attributes === undefined) continue;
      const taken = [...store.current().resources, ...adopted].some(
        (each) => addressOf(each) === addressOf({ type: type.name, name }) && !each.isSurplus,
      );
      adopted.push({ type: type.name, name, id, attributes: { ...attributes, id }, needs: [], isSurplus: taken });
    }
  }
  if (adopted.length === 0) return [];
  for (const each of adopted) task.log(`${recordedAddress(each)}: adopting ${each.id}, which an interrupted run created`);
  const addresses = adopted.map(recordedAddress);
  await store.write(({ resources, intents }) => ({
    resources: [...resources, ...adopted],
    intents: intents.filter(({ address }) => !addresses.includes(address)),
  }));
  return addresses;
}
