import { gather } from "@cloudwright/platform";
import type { Database } from "@cloudwright/store";
import { describeFinished, listReadable, renderEnds, type FinishedRow, type FinishedTask, type TaskEnd } from "./finish.ts";
import { renderLogLines, type LogLine } from "./task-log.ts";

/** An agent's report that an attempt has ended, with the last lines of its log. */
export interface ReportedEnd extends TaskEnd {
  readonly agentUid: string;
  readonly lines: readonly LogLine[];
}

const queues = new WeakMap<Database, (end: ReportedEnd) => Promise<FinishedTask>>();

/**
 * Ends an attempt if the agent holds its lease. Otherwise the report is rejected and changes nothing. Concurrent reports are batched into
 * one statement. Notify the signal after the promise has resolved.
 */
export function finishTogether(database: Database, end: ReportedEnd): Promise<FinishedTask> {
  const queue = queues.get(database) ?? gather((ends: readonly ReportedEnd[]) => finishAll(database, ends));
  queues.set(database, queue);
  return queue(end);
}

// An agent that got no response repeats its report. If both reports are in this batch, only the last one counts. `finish_tasks` checks the
// tokens again while it holds the locks. One statement stores the log lines and ends the attempts, because each commit waits for the disk.
// Lines get the time at which the statement started, so that they precede the end of their attempt.
const text = `with held as (
    select g.nth, g.uid, g.token, l.attempt
    from unnest($1::uuid[], $2::uuid[], $7::uuid[]) with ordinality as g (uid, token, agent, nth)
    join task t on t.uid = g.uid join task_line l on l.entity_uid = t.entity_uid
    where l.task_uid = t.uid and l.lease_token is not distinct from g.token and l.agent_uid = g.agent
  ), written as (
    insert into task_log (task_uid, attempt, seq, at, line)
    select h.uid, h.attempt, r.seq, coalesce(r.at, statement_timestamp()), r.line
    from held h join json_to_recordset($8) as r (nth integer, seq integer, at timestamptz, line text) on r.nth = h.nth
    on conflict do nothing
  ), ends as (
    select array_agg(e.nth::integer) as nths, array_agg(e.uid) as uids, array_agg(e.token) as tokens, array_agg(($3::text[])[e.nth]) as verdicts,
      array_agg(($4::text[])[e.nth]) as outcomes, array_agg(($5::double precision[])[e.nth]) as delays
    from (select distinct on (h.uid) h.* from held h order by h.uid, h.nth desc) e
  )
  select unnest(f.entities) as entity_uid, unnest(f.states) as state, e.nths[unnest(f.places)] as place
  from ends e cross join lateral finish_tasks(e.uids, e.tokens, e.verdicts, e.outcomes, e.delays, $6, null) f`;

async function finishAll(database: Database, ends: readonly ReportedEnd[]): Promise<FinishedTask[]> {
  const asked = listReadable(ends);
  if (asked.length === 0) return ends.map(({ uid }) => ({ uid, accepted: false }));
  const agents = asked.map(({ agentUid }) => agentUid);
  const values = [...renderEnds({ random: Math.random }, asked), agents, renderLogLines(asked)];
  const { rows } = await database.query<FinishedRow>({ name: "finish-together", text, values });
  return describeFinished(ends, asked, rows);
}
