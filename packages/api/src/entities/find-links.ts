import { getKind, isLinkable, listLinks } from "@cloudwright/contract";
import { listLinked, listLinkers, type Database, type EntityRow, type Linker } from "@cloudwright/store";

type Row = Pick<EntityRow, "uid" | "kind">;

/** Returns the entities outside `rows` that link to an entity in `rows`. Skips the query if no kind in `rows` can be linked to. */
export async function findLinkers(database: Database, rows: readonly Row[]): Promise<Linker[]> {
  const linkable = rows.some(({ kind }) => isLinkable(kind));
  return linkable ? listLinkers(database, uidsOf(rows)) : [];
}

/** Returns the uids of the entities outside `rows` that entities in `rows` link to. Skips the query if no kind in `rows` has links. */
export async function findLinked(database: Database, rows: readonly Row[]): Promise<string[]> {
  const linking = rows.some(({ kind }) => listLinks(getKind(kind)).length > 0);
  return linking ? listLinked(database, uidsOf(rows)) : [];
}

function uidsOf(rows: readonly Row[]): string[] {
  return rows.map(({ uid }) => uid);
}
