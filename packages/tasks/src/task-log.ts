import { isUid } from "@cloudwright/platform";
import type { Database } from "@cloudwright/store";

/** A log line. `seq` is unique within an attempt. `at` defaults to the database's time. */
export interface LogLine {
  readonly seq: number;
  readonly at?: string;
  readonly line: string;
}

/** The lease that log lines are sent under. If `agentUid` is given, this agent must hold the lease. */
export interface LogLease {
  readonly uid: string;
  readonly leaseToken: string;
  readonly agentUid?: string | undefined;
}

/** Stores log lines for the attempt that the lease belongs to. Duplicates are ignored. Returns false if the lease is not held. */
export async function appendLog(database: Database, lease: LogLease, lines: readonly LogLine[]): Promise<boolean> {
  return (await appendLogs(database, [{ ...lease, lines }])).length > 0;
}

/** Stores the log lines of several tasks in one statement. Returns the entries whose lease is held. */
export async function appendLogs<Log extends LogLease & { readonly lines: readonly LogLine[] }>(
  database: Database,
  logs: readonly Log[],
): Promise<Log[]> {
  const asked = logs.filter(({ uid, leaseToken }) => isUid(uid) && isUid(leaseToken));
  if (asked.length === 0) return [];
  const text = `with held as (
      select g.nth, l.task_uid, l.attempt from unnest($1::uuid[], $2::uuid[], $3::uuid[]) with ordinality as g (uid, token, agent, nth)
      join task t on t.uid = g.uid join task_line l on l.entity_uid = t.entity_uid
      where l.task_uid = t.uid and l.lease_token is not distinct from g.token and (g.agent is null or l.agent_uid = g.agent)
    ), written as (
      insert into task_log (task_uid, attempt, seq, at, line)
      select h.task_uid, h.attempt, r.seq, coalesce(r.at, clock_timestamp()), r.line
      from held h join json_to_recordset($4) as r (nth integer, seq integer, at timestamptz, line text) on r.nth = h.nth
      on conflict do nothing
    )
    select nth::integer from held`;
  const values = [
    asked.map(({ uid }) => uid),
    asked.map(({ leaseToken }) => leaseToken),
    asked.map(({ agentUid }) => agentUid ?? null),
    renderLogLines(asked),
  ];
  const { rows } = await database.query<{ nth: number }>({ name: "append-logs", text, values });
  const held = new Set(rows.map(({ nth }) => nth));
  return asked.filter((_, index) => held.has(index + 1));
}

/** Renders the lines of several tasks as JSON. `nth` is the position of the task in `logs`, counted from 1. */
export function renderLogLines(logs: readonly { readonly lines: readonly LogLine[] }[]): string {
  return JSON.stringify(
    logs.flatMap(({ lines }, index) => lines.map(({ seq, at, line }) => ({ nth: index + 1, seq, at, line }))),
  );
}

export interface ReadLine {
  readonly attempt: number;
  readonly seq: number;
  readonly at: Date;
  readonly line: string;
}

/** Returns a task's log lines after a position, oldest first. Includes all attempts unless `attempt` is given. */
export async function readLog(
  database: Database,
  question: {
    readonly uid: string;
    readonly attempt?: number | undefined;
    readonly after?: { readonly attempt: number; readonly seq: number } | undefined;
    readonly limit: number;
  },
): Promise<ReadLine[]> {
  const { attempt, seq } = question.after ?? { attempt: 0, seq: 0 };
  const text = `select attempt, seq, at, line from task_log
    where task_uid = $1 and (attempt, seq) > ($2, $3) and ($4::integer is null or attempt = $4) order by attempt, seq limit $5`;
  const values = [question.uid, attempt, seq, question.attempt ?? null, question.limit];
  return (await database.query<ReadLine>({ name: "read-log", text, values })).rows;
}
