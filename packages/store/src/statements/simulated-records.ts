import type { Database } from "../pool.ts";
import { traceParameters, traceSql, type AuditWrite } from "../trace.ts";

/** A stored resource of a simulated cloud. The attributes are JSON text. */
export interface SimulatedRecordRow {
  readonly type: string;
  readonly id: string;
  readonly attributes: string;
  readonly changed_at: Date;
}

/** A resource on a page of a list. */
export interface ListedRecordRow extends SimulatedRecordRow {
  /** Number of resources that the page would contain without the limit on its size in bytes. */
  readonly found: number;
}

/** Identifies a resource in an account's cloud. */
export interface SimulatedRecordKey {
  readonly accountUid: string;
  readonly type: string;
  readonly id: string;
}

/**
 * The record that contains the conditions of a cloud, such as quotas. It is stored with the resources, so that every reader finds it, but
 * is not a resource itself. The same applies to operations in progress and to the generation of credentials.
 */
const conditions = { type: "cloud_conditions", id: "conditions" } as const;
const isThing = String.raw`type not like 'cloud\_%'`;
const columns = "type, id, attributes::text as attributes, changed_at";
const isKey = `account_uid = $1 and type = $2 and id = $3 and ${isThing}`;

export async function findSimulatedRecord(
  database: Database,
  { accountUid, type, id }: SimulatedRecordKey,
): Promise<SimulatedRecordRow | undefined> {
  const text = `select ${columns} from simulated_record where ${isKey}`;
  const { rows } = await database.query<SimulatedRecordRow>({ text, values: [accountUid, type, id] });
  return rows[0];
}

// The owner is stored in tags, in labels (in an attribute that depends on the resource type), or, for resources that can have neither, in
// the description.
const owner = `coalesce(attributes -> 'tags' ->> 'cloudwright:entity', attributes -> 'labels' ->> 'cloudwright_entity',
  attributes -> 'resource_labels' ->> 'cloudwright_entity', attributes #>> '{node_config,0,resource_labels,cloudwright_entity}',
  substring(attributes ->> 'description' from 'cloudwright:entity=([^ )]+)'))`;

/** A page ends before it exceeds this size, even if it contains fewer than `limit` resources. */
const maxPageBytes = 8 * 1024 * 1024;

const list = `with of_entity as (
  select id from simulated_record where account_uid = $1 and $3::text is not null and ${owner} = $3
  union select attributes ->> name from simulated_record, unnest(array['name', 'member']) as name
  where account_uid = $1 and $3::text is not null and ${owner} = $3 and not attributes ? 'tags'
), page as (
select type, id, attributes, changed_at, bytes from simulated_record r
where account_uid = $1 and ${isThing} and ($2::text is null or type = $2) and ($4::text is null or (type, id) > ($4, $5))
  and ($3::text is null or ${owner} = $3
    or ${owner} is null and not attributes ? 'tags' and exists (select from jsonb_each_text(r.attributes) a join of_entity o on o.id = a.value))
order by type, id limit $6
), sized as (
  select *, row_number() over (order by type, id) as nth, sum(bytes) over (order by type, id) as total, count(*) over () as found from page
)
select ${columns}, found::int as found from sized where nth = 1 or total <= $7 order by type, id`;

/**
 * Returns one page of resources, ordered by type and id. If an entity is given, returns only the resources that carry its tag, and untagged
 * resources that refer to one of those.
 */
export async function listSimulatedRecords(
  database: Database,
  asked: {
    readonly accountUid: string;
    readonly type: string | undefined;
    readonly entityUid: string | undefined;
    readonly after: { readonly type: string; readonly id: string } | undefined;
    readonly limit: number;
    /** Maximum size of the page in bytes. Values above the default have no effect. */
    readonly maxBytes?: number | undefined;
  },
): Promise<ListedRecordRow[]> {
  const { accountUid, type, entityUid, after, limit, maxBytes = maxPageBytes } = asked;
  const bytes = Math.min(maxBytes, maxPageBytes);
  const values = [accountUid, type ?? null, entityUid ?? null, after?.type ?? null, after?.id ?? null, limit, bytes];
  return (await database.query<ListedRecordRow>({ text: list, values })).rows;
}

/** Counts the resources of each type. */
export async function countSimulatedRecords(database: Database, accountUid: string): Promise<Record<string, number>> {
  const text = `select type, count(*)::int as count from simulated_record where account_uid = $1 and ${isThing} group by type order by type`;
  const { rows } = await database.query<{ type: string; count: number }>({ text, values: [accountUid] });
  return Object.fromEntries(rows.map(({ type, count }) => [type, count]));
}

/** Adds a user's change to the cloud's audit trail. */
function recordChange(action: "update" | "delete", actor: number): string {
  return `recorded as (insert into simulated_change (account_uid, type, id, actor, action) select $1, w.type, w.id, $${actor}, '${action}' from written w)`;
}

const write = `with written as (
  update simulated_record set attributes = $4, changed_at = clock_timestamp() where ${isKey} and attributes = $5 returning ${columns}
), ${recordChange("update", 6)}, ${traceSql("written", 7)} select * from written`;

/** Updates a resource if its attributes have not changed since they were read. Returns undefined otherwise. */
export async function updateSimulatedRecord(
  database: Database,
  { accountUid, type, id }: SimulatedRecordKey,
  attributes: { readonly from: string; readonly to: string },
  audit: AuditWrite,
): Promise<SimulatedRecordRow | undefined> {
  const values = [accountUid, type, id, attributes.to, attributes.from, audit.actor, ...trace(audit)];
  return (await database.query<SimulatedRecordRow>({ text: write, values })).rows[0];
}

const remove = `with written as (delete from simulated_record where ${isKey} returning ${columns}), ${recordChange("delete", 4)}, ${traceSql("written", 5)} select * from written`;

/** Deletes a resource. Returns its last content, or undefined if it did not exist. */
export async function deleteSimulatedRecord(
  database: Database,
  { accountUid, type, id }: SimulatedRecordKey,
  audit: AuditWrite,
): Promise<SimulatedRecordRow | undefined> {
  return (
    await database.query<SimulatedRecordRow>({ text: remove, values: [accountUid, type, id, audit.actor, ...trace(audit)] })
  ).rows[0];
}

const reset = `with written as (select $1::uuid), faults as (delete from simulated_fault where account_uid = $1),
records as (delete from simulated_record where account_uid = $1), strikes as (delete from simulated_account_strike where account_uid = $1), trail as (delete from simulated_change where account_uid = $1), ${traceSql("written", 2)} select from written`;

/** Deletes all resources, simulated faults, conditions and strikes of an account's cloud. */
export async function resetSimulatedCloud(database: Database, accountUid: string, audit: AuditWrite): Promise<void> {
  await database.query({ text: reset, values: [accountUid, ...trace(audit)] });
}

/** Returns the conditions of a cloud in the simulator's own format. Empty if none are set. */
export async function findSimulatedConditions(database: Database, accountUid: string): Promise<Record<string, unknown>> {
  const text =
    "select attributes ->> 'conditions' as conditions from simulated_record where account_uid = $1 and type = $2 and id = $3";
  const { rows } = await database.query<{ conditions: string }>({ text, values: [accountUid, conditions.type, conditions.id] });
  return rows[0] === undefined ? {} : (JSON.parse(rows[0].conditions) as Record<string, unknown>);
}

const adjust = `with written as (
  insert into simulated_record as r (account_uid, type, id, attributes)
  values ($1, '${conditions.type}', '${conditions.id}', jsonb_build_object('conditions', jsonb_strip_nulls($2::jsonb || jsonb_build_object('quotas', $3::jsonb))::text))
  on conflict (account_uid, type, id) do update set changed_at = clock_timestamp(), attributes = jsonb_build_object('conditions',
    jsonb_strip_nulls((r.attributes ->> 'conditions')::jsonb || $2::jsonb
      || jsonb_build_object('quotas', coalesce((r.attributes ->> 'conditions')::jsonb -> 'quotas', '{}') || $3::jsonb))::text)
  returning r.account_uid
), ${traceSql("written", 4)} select from written`;

/** Changes conditions of a cloud. Null resets a condition to its default. Omitted conditions stay unchanged. */
export async function adjustSimulatedCloud(
  database: Database,
  accountUid: string,
  change: { readonly conditions: Readonly<Record<string, unknown>>; readonly quotas: Readonly<Record<string, number | null>> },
  audit: AuditWrite,
): Promise<void> {
  const values = [accountUid, JSON.stringify(change.conditions), JSON.stringify(change.quotas), ...trace(audit)];
  await database.query({ text: adjust, values });
}

function trace(audit: AuditWrite): string[] {
  return traceParameters({ changes: [], events: [], audits: [audit] });
}
