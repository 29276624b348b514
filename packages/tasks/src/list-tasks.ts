import type { Database } from "@cloudwright/store";

/** A page of tasks, newest first. */
export interface TaskList {
  readonly project: string;
  readonly fields: readonly { readonly column: string; readonly equal: boolean; readonly value: string }[];
  readonly limit: number;
  /** Uid of the last task of the page before. */
  readonly after: string | undefined;
}

/** The columns that tasks can be filtered by, by their JSON paths. */
export const taskColumns = {
  "spec.type": "d.type",
  "spec.entityKind": "t.object ->> 'entityKind'",
  "spec.entityUid": "t.entity_uid::text",
  "spec.entityName": "t.object ->> 'entityName'",
  "spec.operation": "coalesce(t.operation_uid::text, '')",
  "spec.lane": "t.lane",
  "status.state": "upper(t.state)",
  "status.agent": "coalesce(t.agent_uid::text, '')",
} as const;

const time = (column: string): string => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A task as callers see it; what it does not have is left out. */
const object = `json_strip_nulls(json_build_object(
  'metadata', json_build_object('project', t.project, 'name', t.uid, 'uid', t.uid, 'createdAt', ${time("t.created_at")}),
  'spec', json_build_object('type', d.type, 'entityKind', t.object -> 'entityKind', 'entityUid', t.entity_uid, 'entityName', t.object -> 'entityName',
    'operation', t.operation_uid, 'lane', t.lane, 'priority', t.priority, 'placement', t.object -> 'placement', 'payloadVersion', d.payload_version,
    'maxAttempts', t.max_attempts),
  'status', json_build_object('state', upper(t.state), 'attempt', t.attempt, 'agent', t.agent_uid, 'startedAt', ${time("t.started_at")},
    'endedAt', ${time("t.ended_at")}, 'notBefore', ${time("t.delayed_until")}, 'leaseExpiresAt', ${time("t.leased_until")},
    'cancelReason', nullif(t.cancel_reason, ''), 'progressPercent', t.progress -> 'percent',
    'message', coalesce(t.outcome -> 'fault' ->> 'message', t.outcome ->> 'message', t.progress ->> 'message'), 'outcome', t.outcome)))`;

const from = "from task_state t join task_demand d on d.id = t.demand";

/** One page of tasks as JSON texts. */
export async function listTasks(database: Database, list: TaskList): Promise<{ uid: string; object: string }[]> {
  const values: unknown[] = [list.project];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [
    "t.project = $1",
    ...list.fields.map(({ column, equal, value }) => `${column} ${equal ? "=" : "<>"} ${bind(value)}`),
    ...(list.after === undefined ? [] : [`t.uid < ${bind(list.after)}::uuid`]),
  ];
  const text = `select t.uid, ${object}::text as object ${from} where ${conditions.join(" and ")} order by t.uid desc limit ${bind(list.limit)}`;
  return (await database.query<{ uid: string; object: string }>({ text, values })).rows;
}

/** One task of a project as JSON text, with the attempts that did not end it. */
export async function findTask(database: Database, project: string, uid: string): Promise<string | undefined> {
  const attempts = `select json_agg(json_build_object('attempt', a.attempt, 'agent', a.agent_uid, 'startedAt', ${time("a.started_at")},
    'endedAt', ${time("a.ended_at")}, 'outcome', a.outcome) order by a.attempt) from task_attempt a where a.task_uid = t.uid`;
  const text = `select ${object}::text as object, (${attempts})::text as attempts ${from} where t.project = $1 and t.uid = $2`;
  const { rows } = await database.query<{ object: string; attempts: string | null }>({
    name: "find-task",
    text,
    values: [project, uid],
  });
  const row = rows[0];
  if (row?.attempts == null) return row?.object;
  const { status, ...rest } = JSON.parse(row.object) as { status: object };
  return JSON.stringify({ ...rest, status: { ...status, attempts: JSON.parse(row.attempts) as unknown } });
}
