import type { Database } from "../pool.ts";

/** Parameters for a page of append-only records, newest first. Used for events and audit records. */
export interface RecordList {
  readonly table: "event" | "audit";
  readonly project: string;
  readonly fields: readonly { readonly column: string; readonly equal: boolean; readonly value: string }[];
  readonly limit: number;
  /** Uid of the last record on the previous page. */
  readonly after: string | undefined;
}

/** Columns that can be used as filters, keyed by their JSON names. */
export const recordColumns = {
  event: { kind: "kind", name: "name", entityUid: "entity_uid::text", type: "type", reason: "reason", actor: "actor" },
  audit: { actor: "actor", verb: "verb", kind: "kind", name: "name", outcome: "outcome", code: "code" },
} as const;

const at = `to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`;

const shapes = {
  event: `uid, project, ${at}, type, reason, message, kind, name, entity_uid as "entityUid", actor`,
  audit: `uid, ${at}, actor, credential, verb, kind, project, name, outcome, code, source, request_id as "requestId", coalesce(entity_uid::text, '') as "entityUid"`,
};

/** Returns one page of records as JSON text. */
export async function listRecords(database: Database, list: RecordList): Promise<{ uid: string; object: string }[]> {
  const values: unknown[] = [list.project];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [
    "project = $1",
    // Excludes records of an earlier project with the same name.
    "at >= (select created_at from entity where project = '' and kind = 'Project' and naming_scope = '' and name = $1)",
    ...list.fields.map(({ column, equal, value }) => `${column} ${equal ? "=" : "<>"} ${bind(value)}`),
    ...(list.after === undefined ? [] : [`uid < ${bind(list.after)}::uuid`]),
  ];
  const page = `select ${shapes[list.table]} from ${list.table} where ${conditions.join(" and ")} order by uid desc limit ${bind(list.limit)}`;
  const text = `select uid, row_to_json(page)::text as object from (${page}) page`;
  const { rows } = await database.query<{ uid: string; object: string }>({ text, values });
  return rows;
}
