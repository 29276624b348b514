import type { Database } from "../pool.ts";

/** An entity that wants attention; `wakes` says whether somebody asks for more of it meanwhile. */
export interface DueEntity {
  readonly uid: string;
  readonly wakes: string;
}

/** The project that each process served last: the turn begins after it. Losing it costs a turn, never correctness. */
const served = new WeakMap<Database, string>();

/** Takes entities that are due, projects in turn; nobody else gets them for `holdSeconds`, unless they are woken again. */
export async function claimDue(database: Database, limit: number, holdSeconds: number): Promise<DueEntity[]> {
  const text = "select served, uids, wakes::text[] as wakes from claim_due($1, $2, $3)";
  const { rows } = await database.query<{ served: string; uids: string[] | null; wakes: string[] | null }>({
    name: "claim-due",
    text,
    values: [limit, holdSeconds, served.get(database) ?? ""],
  });
  const { uids, wakes, served: last } = rows[0] ?? { uids: null, wakes: null, served: "" };
  served.set(database, last);
  return (uids ?? []).map((uid, index) => ({ uid, wakes: wakes?.[index] ?? "" }));
}

const settle = `update due set due_at = case when wakes = $2 then clock_timestamp() + make_interval(secs => $3) else clock_timestamp() end
  where entity_uid = $1 returning wakes = $2 as quiet`;

/** Says when an entity is to be looked at again; false when it was woken meanwhile, and is due at once. */
export async function settleDue(database: Database, { uid, wakes }: DueEntity, afterSeconds: number): Promise<boolean> {
  const { rows } = await database.query<{ quiet: boolean }>({
    name: "settle-due",
    text: settle,
    values: [uid, wakes, afterSeconds],
  });
  return rows[0]?.quiet ?? true;
}

/** Forgets entities that are gone. */
export async function forgetDue(database: Database, uids: readonly string[]): Promise<void> {
  await database.query({ name: "forget-due", text: "delete from due where entity_uid = any ($1)", values: [uids] });
}

/** Wakes what lies directly below an entity, and what it lies in. */
export async function wakeAround(
  database: Database,
  uid: string,
  parentUid: string | null,
  kinds: readonly string[],
): Promise<void> {
  // Who wakes relatives and settles its own row locks all of them in one order, or two relatives would wait for each other.
  const text = `with around as materialized (
      select e.uid from entity e where (e.parent_uid = $1 or e.uid = $2) and e.kind = any ($3)
    ), held as materialized (
      select entity_uid from due where entity_uid = $1 or entity_uid in (select a.uid from around a) order by entity_uid for update
    )
    select wake_entities(array(select a.uid from around a), clock_timestamp()) from (select count(*) from held) h`;
  await database.query({ name: "wake-around", text, values: [uid, parentUid, kinds] });
}

/** Gives back entities that were taken and could not be looked at. */
export async function releaseDue(database: Database, uids: readonly string[]): Promise<void> {
  const text = "update due set due_at = clock_timestamp() where entity_uid = any ($1)";
  await database.query({ name: "release-due", text, values: [uids] });
}

/** Gives every entity of some kinds that nobody looks after a time to be looked at, spread over a while; answers how many. */
export async function adoptDue(database: Database, kinds: readonly string[], spreadSeconds: number): Promise<number> {
  const text = `insert into due (entity_uid, due_at, project)
    select e.uid, clock_timestamp() + random() * make_interval(secs => $2), e.project from entity e
    where e.kind = any ($1) and not exists (select from due d where d.entity_uid = e.uid)
    on conflict do nothing`;
  return (await database.query({ name: "adopt-due", text, values: [kinds, spreadSeconds] })).rowCount ?? 0;
}
