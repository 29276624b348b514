import type { Database } from "../pool.ts";

const lock = "select pg_advisory_xact_lock(hashtextextended($1, 7266))";
const count = "select count(*)::int as count from (select from entity where parent_uid = $1 and kind = $2 limit $3) siblings";

/** Counts the entities of a kind that an entity owns, up to `most`. */
export async function countSiblings(database: Database, kind: string, parentUid: string, most: number): Promise<number> {
  const { rows } = await database.query<{ count: number }>({ text: count, values: [parentUid, kind, most] });
  return rows[0]?.count ?? 0;
}

/**
 * Counts like `countSiblings`, and makes concurrent transactions that count the same entities wait until this one ends. Must run in a
 * transaction.
 */
export async function countSiblingsInTurn(database: Database, kind: string, parentUid: string, most: number): Promise<number> {
  await database.query({ text: lock, values: [`${kind} ${parentUid}`] });
  return countSiblings(database, kind, parentUid, most);
}
