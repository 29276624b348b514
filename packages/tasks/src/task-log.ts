import { isUid } from "@cloudwright/platform";
import type { Database } from "@cloudwright/store";

/** One line that a task wrote. `seq` counts within the attempt; `at` is the agent's time, the database's when it says none. */
export interface LogLine {
  readonly seq: number;
  readonly at?: string;
  readonly line: string;
}

/** Keeps lines of the attempt whose lease this is; lines that came before are kept once. False when the lease is not held. */
export async function appendLog(
  database: Database,
  lease: { readonly uid: string; readonly leaseToken: string },
  lines: readonly LogLine[],
): Promise<boolean> {
  if (!isUid(lease.uid) || !isUid(lease.leaseToken)) return false;
  const text = `with held as (
      select l.task_uid, l.attempt from task t join task_line l on l.entity_uid = t.entity_uid
      where t.uid = $1 and l.task_uid = t.uid and l.lease_token is not distinct from $2::uuid
    ), written as (
      insert into task_log (task_uid, attempt, seq, at, line)
      select h.task_uid, h.attempt, r.seq, coalesce(r.at, clock_timestamp()), r.line
      from held h cross join json_to_recordset($3) as r (seq integer, at timestamptz, line text)
      on conflict do nothing
    )
    select 1 from held`;
  const { rows } = await database.query({
    name: "append-log",
    text,
    values: [lease.uid, lease.leaseToken, JSON.stringify(lines)],
  });
  return rows.length > 0;
}

/** A line as it is read. */
export interface ReadLine {
  readonly attempt: number;
  readonly seq: number;
  readonly at: Date;
  readonly line: string;
}

/** Lines of a task in order, of all attempts or of one, after a position. */
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
