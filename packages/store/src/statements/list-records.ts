import type { Database } from "../pool.ts";

/** Append-only records, newest first: events and audit records share this statement. */
export interface RecordList {
  readonly table: "event" | "audit";
  readonly project: string;
  readonly fields: readonly { readonly column: string; readonly equal: boolean; readonly value: string }[];
  readonly limit: number;
  /** Uid of the last record of the page before. */
  readonly after: string | undefined;
}

/** The columns that records can be filtered by, by their JSON names. */
export const recordColumns = {
  event: { kind: "kind", name: "name", entityUid: "entity_uid::text", type: "type", reason: "reason", actor: "actor" },
  audit: { actor: "actor", verb: "verb", kind: "kind", name: "name", outcome: "outcome", code: "code" },
} as const;

const shapes = {
  event: `json_build_object('uid', uid, 'project', project, 'at', to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'type', type,
    'reason', reason, 'message', message, 'kind', kind, 'name', name, 'entityUid', entity_uid, 'actor', actor)`,
  audit: `json_build_object('uid', uid, 'at', to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'actor', actor, 'credential', credential,
    'verb', verb, 'kind', kind, 'project', project, 'name', name, 'outcome', outcome, 'code', code, 'source', source,
    'requestId', request_id, 'entityUid', coalesce(entity_uid::text, ''))`,
};

/** One page of records as JSON texts. */
export async function listRecords(database: Database, list: RecordList): Promise<{ uid: string; object: string }[]> {
  const values: unknown[] = [list.project];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [
    "project = $1",
    ...list.fields.map(({ column, equal, value }) => `${column} ${equal ? "=" : "<>"} ${bind(value)}`),
    ...(list.after === undefined ? [] : [`uid < ${bind(list.after)}::uuid`]),
  ];
  const text = `select uid, ${shapes[list.table]}::text as object from ${list.table} where ${conditions.join(" and ")} order by uid desc limit ${bind(list.limit)}`;
  const { rows } = await database.query<{ uid: string; object: string }>({ text, values });
  return rows;
}
