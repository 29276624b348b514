import type { Database } from "../pool.ts";

/** A part of an entity that another entity has claimed. */
export interface Claim {
  readonly owner_uid: string;
  readonly part: string;
  /** Name of the claiming entity. Empty if it is in an environment that readers of the owner may not see. */
  readonly name: string;
}

const insert = `insert into entity_claim (owner_uid, part, entity_uid) values ($1, $2, $3) on conflict (owner_uid, part) do nothing
  returning entity_uid`;

/**
 * Claims a part of an entity, inside the transaction that inserts the claiming entity. Returns false if another entity has claimed the part.
 * Concurrent claims of one part wait for each other, and exactly one succeeds.
 */
export async function claimPart(
  database: Database,
  { ownerUid, part, entityUid }: { readonly ownerUid: string; readonly part: string; readonly entityUid: string },
): Promise<boolean> {
  const { rows } = await database.query({ name: "claim-part", text: insert, values: [ownerUid, part, entityUid] });
  return rows.length === 1;
}

/** Lists the claims on parts of the given entities, ordered by part. */
export async function listClaims(database: Database, ownerUids: readonly string[]): Promise<Claim[]> {
  const text = `select c.owner_uid, c.part, case when e.environment in ('', o.environment) then e.name else '' end as name
    from entity_claim c join entity e on e.uid = c.entity_uid join entity o on o.uid = c.owner_uid
    where c.owner_uid = any($1::uuid[]) order by c.owner_uid, c.part`;
  return (await database.query<Claim>({ name: "list-claims", text, values: [ownerUids] })).rows;
}
