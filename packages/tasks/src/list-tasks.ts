import { isUid } from "@cloudwright/platform";
import type { Database } from "@cloudwright/store";

/** Selects a page of tasks, newest first. */
export interface TaskList {
  readonly project: string;
  /**
   * Limits the result to tasks of entities in these environments. If undefined, all tasks are listed, including those of deleted entities.
   */
  readonly environments?: readonly string[] | undefined;
  readonly fields: readonly { readonly column: string; readonly equal: boolean; readonly value: string }[];
  readonly limit: number;
  /** Uid of the last task on the previous page. */
  readonly after: string | undefined;
}

/** Returns the uid from a task reference. Task names start with `task-`, because names must start with a letter. */
export function readTaskUid(ref: string): string | undefined {
  const uid = ref.replace(/^task-/, "");
  return isUid(uid) ? uid : undefined;
}

/** The operation's name, which ends with the last 12 digits of its uid. */
const operationName = "'op-' || right(t.operation_uid::text, 12)";

/** The agent's name, or its uid if the agent was deleted. */
const agentName = (uid: string): string => `coalesce((select e.name from entity e where e.uid = ${uid}), ${uid}::text)`;

/** Columns that can be used as filters, keyed by JSON path. */
export const taskColumns = {
  "spec.type": "d.type",
  "spec.entityKind": "t.object ->> 'entityKind'",
  "spec.entityUid": "t.entity_uid::text",
  "spec.entityName": "t.object ->> 'entityName'",
  "spec.operation": `coalesce(${operationName}, '')`,
  "spec.lane": "t.lane",
  "status.state": "upper(t.state)",
  "status.agent": `coalesce(${agentName("t.agent_uid")}, '')`,
} as const;

/** Indexed uid columns. Clients that follow an operation or an entity often filter by them. */
export const indexedColumns = { operation: "t.operation_uid", entity: "t.entity_uid" } as const;

const time = (column: string): string => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The fault in an outcome, as JSON. */
const fault = (
  outcome: string,
): string => `case when ${outcome} -> 'fault' is not null then json_build_object('code', ${outcome} #> '{fault,code}',
    'message', ${outcome} #> '{fault,message}', 'help', ${outcome} #> '{fault,help}', 'permanent', ${outcome} #>> '{fault,retry}' = 'never',
    'retryAfterMs', ${outcome} #> '{fault,retryAfterMs}', 'left', ${outcome} #> '{result,left}') end`;

const attempts = `(select json_agg(json_build_object('attempt', a.attempt, 'agent', ${agentName("a.agent_uid")}, 'startedAt', ${time("a.started_at")},
    'endedAt', ${time("a.ended_at")}, 'fault', ${fault("a.outcome")}) order by a.attempt) from task_attempt a where a.task_uid = t.uid)`;

/** A task in the API's JSON format, without empty fields. */
const object = `json_strip_nulls(json_build_object(
  'metadata', json_build_object('project', t.project, 'name', 'task-' || t.uid, 'uid', t.uid, 'createdAt', ${time("t.created_at")}),
  'spec', json_build_object('type', d.type, 'entityKind', t.object -> 'entityKind', 'entityUid', t.entity_uid, 'entityName', t.object -> 'entityName',
    'operation', ${operationName}, 'lane', t.lane, 'priority', t.priority, 'placement', t.object -> 'placement', 'payloadVersion', d.payload_version,
    'maxAttempts', t.max_attempts),
  'status', json_build_object('state', upper(t.state), 'attempt', t.attempt, 'agent', ${agentName("t.agent_uid")}, 'startedAt', ${time("t.started_at")},
    'endedAt', ${time("t.ended_at")}, 'notBefore', ${time("t.delayed_until")}, 'leaseExpiresAt', ${time("t.leased_until")},
    'cancelReason', nullif(t.cancel_reason, ''), 'progressPercent', t.progress -> 'percent',
    'message', coalesce(t.outcome -> 'fault' ->> 'message', t.outcome ->> 'message', t.progress ->> 'message'),
    'fault', ${fault("t.outcome")}, 'attempts', ${attempts})))::text`;

const from = "from task_state t join task_demand d on d.id = t.demand";

/** Selects the project's tasks, but not those of a deleted project that had the same name. */
const ofProject = `t.project = $1 and t.created_at >= coalesce(
  (select created_at from entity where project = '' and kind = 'Project' and naming_scope = '' and name = $1), '-infinity')`;

const inEnvironments = (parameter: string): string =>
  `exists (select from entity e where e.uid = t.entity_uid and e.environment = any (${parameter}))`;

/** Returns one page of tasks as JSON strings. */
export async function listTasks(database: Database, list: TaskList): Promise<{ uid: string; object: string }[]> {
  const values: unknown[] = [list.project];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [
    ofProject,
    ...(list.environments === undefined ? [] : [inEnvironments(bind(list.environments))]),
    ...list.fields.map(({ column, equal, value }) => `${column} ${equal ? "=" : "<>"} ${bind(value)}`),
    ...(list.after === undefined ? [] : [`t.uid < ${bind(list.after)}::uuid`]),
  ];
  const text = `select t.uid, ${object} as object ${from} where ${conditions.join(" and ")} order by t.uid desc limit ${bind(list.limit)}`;
  return (await database.query<{ uid: string; object: string }>({ text, values })).rows;
}

/**
 * Returns one of the project's tasks as a JSON string, or undefined. If `environments` is given, the task's entity must be in one of them.
 */
export async function findTask(
  database: Database,
  project: string,
  uid: string,
  environments?: readonly string[],
): Promise<string | undefined> {
  const text = `select ${object} as object ${from} where ${ofProject} and t.uid = $2 and ($3::text[] is null or ${inEnvironments("$3")})`;
  const values = [project, uid, environments ?? null];
  return (await database.query<{ object: string }>({ name: "find-task", text, values })).rows[0]?.object;
}
