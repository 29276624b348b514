import { getKind, isLinkable, listLinks } from "@cloudwright/contract";
import { listLinked, listLinkers, type Database, type EntityRow, type Linker } from "@cloudwright/store";

type Row = Pick<EntityRow, "uid" | "kind">;

/** Returns the entities that link to one of these from outside. Makes no query if no kind can link to them. */
export async function findLinkers(database: Database, rows: readonly Row[]): Promise<Linker[]> {
  const linkable = rows.some(({ kind }) => isLinkable(kind));
  return linkable ? listLinkers(database, uidsOf(rows)) : [];
}

/** Returns the uids of the entities outside these that they link to. Makes no query if their kinds have no links. */
export async function findLinked(database: Database, rows: readonly Row[]): Promise<string[]> {
  const linking = rows.some(({ kind }) => listLinks(getKind(kind)).length > 0);
  return linking ? listLinked(database, uidsOf(rows)) : [];
}

function uidsOf(rows: readonly Row[]): string[] {
  return rows.map(({ uid }) => uid);
}
