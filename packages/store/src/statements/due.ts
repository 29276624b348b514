import type { Database } from "../pool.ts";

/**
 * An entity that is due for reconciliation. If `wakes` is higher in the database than here, the entity was woken again after it was
 * claimed.
 */
export interface DueEntity {
  readonly uid: string;
  readonly wakes: string;
}

/**
 * The project that this process served last. The next claim starts with the project after it. Losing this value affects only fairness,
 * never correctness.
 */
const served = new WeakMap<Database, string>();

/** Claims due entities, with projects taking turns. No other process can claim them for `holdSeconds`, unless they are woken again. */
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

/** The next due time of a claimed entity. */
export interface DueSettlement {
  readonly due: DueEntity;
  readonly afterSeconds: number;
}

// First locks all rows in a fixed order, so that two statements that write the same rows cannot deadlock.
const settle = `with held as materialized (
    select entity_uid from due where entity_uid = any ($1) order by entity_uid for update
  )
  update due d set due_at = case when d.wakes = s.wakes then clock_timestamp() + make_interval(secs => s.seconds) else clock_timestamp() end
  from unnest($1::uuid[], $2::bigint[], $3::float8[]) as s (uid, wakes, seconds)
  where d.entity_uid = s.uid and (select count(*) from held) > 0 returning d.wakes = s.wakes as quiet`;

/** Sets when entities are due next. Returns false if one of them was woken in the meantime, in which case it is due immediately. */
export async function settleDues(database: Database, settlements: readonly DueSettlement[]): Promise<boolean> {
  const values = [
    settlements.map(({ due }) => due.uid),
    settlements.map(({ due }) => due.wakes),
    settlements.map(({ afterSeconds }) => afterSeconds),
  ];
  const { rows } = await database.query<{ quiet: boolean }>({ name: "settle-dues", text: settle, values });
  return rows.every(({ quiet }) => quiet);
}

/** Sets when an entity is due next. Returns false if it was woken in the meantime, in which case it is due immediately. */
export async function settleDue(database: Database, due: DueEntity, afterSeconds: number): Promise<boolean> {
  return settleDues(database, [{ due, afterSeconds }]);
}

/** Removes deleted entities from the schedule. */
export async function forgetDue(database: Database, uids: readonly string[]): Promise<void> {
  await database.query({ name: "forget-due", text: "delete from due where entity_uid = any ($1)", values: [uids] });
}

/** Selects related entities to wake. */
export interface Around {
  /** Wakes the children of these entities, and the entities that link to them. */
  readonly uids: readonly string[];
  /** Entities to wake because one of `uids` references them. */
  readonly referencedUids: readonly string[];
  /** Entities whose next due time the caller sets in the same transaction. Their rows are locked as well. */
  readonly held: readonly string[];
}

const linkers = "or e.uid in (select l.from_uid from entity_link l where l.to_uid = any ($1))";

/**
 * Wakes related entities. Locks their rows and the rows of `held` in a fixed order, because otherwise the passes of two related entities
 * could deadlock. The link table is read only if `hasLinks` is true.
 */
export async function wakeAround(
  database: Database,
  { uids, referencedUids, held }: Around,
  { kinds, hasLinks }: { readonly kinds: readonly string[]; readonly hasLinks: boolean },
): Promise<void> {
  const text = `with around as materialized (
      select e.uid from entity e where (e.parent_uid = any ($1) or e.uid = any ($2) ${hasLinks ? linkers : ""}) and e.kind = any ($3)
    ), held as materialized (
      select entity_uid from due where entity_uid = any ($4) or entity_uid in (select a.uid from around a) order by entity_uid for update
    )
    select wake_entities(array(select a.uid from around a), clock_timestamp()) from (select count(*) from held) h`;
  const name = hasLinks ? "wake-around-links" : "wake-around";
  await database.query({ name, text, values: [uids, referencedUids, kinds, held] });
}

/** Makes these entities due immediately. Used for entities that were claimed but could not be processed. */
export async function releaseDue(database: Database, uids: readonly string[]): Promise<void> {
  const text = "update due set due_at = clock_timestamp() where entity_uid = any ($1)";
  await database.query({ name: "release-due", text, values: [uids] });
}

/** Schedules all unscheduled entities of these kinds, spread over a period. Returns the number of entities scheduled. */
export async function adoptDue(database: Database, kinds: readonly string[], spreadSeconds: number): Promise<number> {
  const text = `insert into due (entity_uid, due_at, project)
    select e.uid, clock_timestamp() + random() * make_interval(secs => $2), e.project from entity e
    where e.kind = any ($1) and not exists (select from due d where d.entity_uid = e.uid)
    on conflict do nothing`;
  return (await database.query({ name: "adopt-due", text, values: [kinds, spreadSeconds] })).rowCount ?? 0;
}
