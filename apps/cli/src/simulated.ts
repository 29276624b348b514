import { getKind, type Kind } from "@cloudwright/contract/kinds";
import type { Session } from "./connection/session.ts";
import { resourceOf } from "./entities.ts";
import type { Item } from "./output/item.ts";

/** The maximum number of parents to fetch for one list. */
const mostParents = 20;

/** Marks entities whose account is simulated. If this would take too many requests, leaves the remaining entities unmarked. */
export async function markSimulated(session: Session, items: readonly Item[]): Promise<Item[]> {
  const known = new Map<string, Promise<boolean>>();
  const isSimulated = async ({ kind, cluster, entity }: Item): Promise<boolean> => {
    const spec = (entity.spec ?? {}) as Readonly<Record<string, unknown>>;
    if (kind.cloud === "own") return spec["simulated"] === true;
    const { parent }: Kind = kind;
    const name = parent?.field === undefined ? cluster : spec[parent.field];
    if (parent === undefined || typeof name !== "string" || name === "") return false;
    const key = `${parent.kind}/${name}`;
    const asked = known.get(key) ?? (known.size < mostParents ? lookUp(getKind(parent.kind), name) : Promise.resolve(false));
    known.set(key, asked);
    return asked;
  };
  const lookUp = async (kind: Kind, name: string): Promise<boolean> => {
    try {
      const entity = await resourceOf(session, kind).get(name, { signal: session.world.signal });
      return await isSimulated({ kind, entity });
    } catch {
      // The parent was deleted, or the caller is not allowed to see it.
      return false;
    }
  };
  const marked: Item[] = [];
  for (const item of items) {
    const isBelow = item.kind.cloud !== "own" && item.kind.provisioned;
    marked.push(isBelow && (await isSimulated(item)) ? { ...item, simulated: true } : item);
  }
  return marked;
}
