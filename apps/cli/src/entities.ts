import type { AnyEntity, ListQuery, Resource } from "@cloudwright/api-client";
import type { Kind, KindName } from "@cloudwright/contract/kinds";
import { childKinds, getKind, isNamedBelow, kinds } from "@cloudwright/contract/kinds";
import type { Session } from "./connection/session.ts";
import type { Item } from "./output/item.ts";
import type { Reference } from "./references.ts";
import { cliKindOf } from "./kinds/registry.ts";

/** Returns the API client for the entities of a kind, by default in the session's project. */
export function resourceOf(session: Session, kind: Kind, cluster?: string, project = session.project): Resource<AnyEntity> {
  const place = { project, ...(cluster === undefined ? {} : { cluster }) };
  return session.client.resource(kind.kind as KindName, place);
}

/** Fetches one entity by name or uid. */
export async function getItem(session: Session, { kind, cluster, name }: Reference): Promise<Item> {
  const entity = await resourceOf(session, kind, cluster).get(name, { signal: session.world.signal });
  return { kind, cluster, entity };
}

/** Lists all entities of a kind. Node pools of all clusters are listed unless `cluster` is given. */
export async function* listItems(
  session: Session,
  kind: Kind,
  query: ListQuery & { cluster?: string | undefined; limit?: number | undefined },
): AsyncGenerator<Item, void> {
  const { cluster, limit = Infinity, orderBy = orderOf(kind), ...rest } = query;
  let left = limit;
  for await (const place of listPlaces(session, kind, cluster)) {
    const pageSize = Math.min(1000, Math.max(1, left));
    const asked = { ...rest, orderBy, ...(left === Infinity ? {} : { pageSize }), signal: session.world.signal };
    for await (const entity of resourceOf(session, kind, place).listAll(asked)) {
      yield { kind, cluster: place, entity };
      left -= 1;
      if (left === 0) return;
    }
  }
}

/** Returns the sort order for lists of a kind. Returns undefined for tasks, because the server supports only one order for them. */
function orderOf(kind: Kind): ListQuery["orderBy"] {
  const { order = "name" } = cliKindOf(kind);
  return order === "server" ? undefined : order;
}

/** Lists all descendants of an entity in deletion order, deepest first. For a project, lists everything that users created in it. */
export async function* listBelow(session: Session, item: Item): AsyncGenerator<Item, void> {
  const { name, uid } = item.entity.metadata;
  if (cliKindOf(item.kind).containsProject === true) {
    const made: readonly Kind[] = kinds.filter((kind) => kind.scope === "project" && kind.isRecord !== true);
    for (const kind of made.toReversed()) yield* listItems({ ...session, project: name }, kind, {});
    return;
  }
  for (const kind of childKinds(item.kind.kind).toReversed()) {
    const query = isNamedBelow(kind) ? { cluster: name } : { parent: uid };
    for await (const child of listItems(session, kind, query)) {
      yield* listBelow(session, child);
      yield child;
    }
  }
}

async function* listPlaces(session: Session, kind: Kind, cluster: string | undefined): AsyncGenerator<string | undefined, void> {
  if (!isNamedBelow(kind) || cluster !== undefined) yield cluster;
  else {
    const clusters = resourceOf(session, getKind(kind.parent?.kind ?? ""));
    for await (const { metadata } of clusters.listAll({ orderBy: "name", signal: session.world.signal })) yield metadata.name;
  }
}
