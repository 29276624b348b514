import { gather } from "@cloudwright/platform";
import { retryCollisions, type Database } from "@cloudwright/store";
import { describeFinished, listReadable, renderEnds, type FinishedRow, type FinishedTask, type TaskEnd } from "./finish.ts";
import { renderLogLines, type LogLine } from "./task-log.ts";

/** An agent's report that an attempt has ended, with the last lines of its log. */
export interface ReportedEnd extends TaskEnd {
  readonly agentUid: string;
  readonly lines: readonly LogLine[];
}

/** Four concurrent statements keep two cores busy. With two, a core idled while the process read the responses. */
const batches = { most: 64, atOnce: 4 };

const queues = new WeakMap<Database, (end: ReportedEnd) => Promise<FinishedTask>>();

/**
 * Ends an attempt if the agent holds its lease. Otherwise the report is rejected and changes nothing. Concurrent reports are batched into
 * one statement. Notify the signal after the promise has resolved.
 */
export function finishTogether(database: Database, end: ReportedEnd): Promise<FinishedTask> {
  const queue = queues.get(database) ?? gather((ends: readonly ReportedEnd[]) => finishAll(database, ends), batches);
  queues.set(database, queue);
  return queue(end);
}

// Ending the attempts and storing the log lines in one statement takes only one commit. Each commit waits for the disk.
const text =
  "select unnest(entities) as entity_uid, unnest(states) as state, unnest(places) as place from finish_tasks($1, $2, $3, $4, $5, $6, null, $7, $8)";

async function finishAll(database: Database, ends: readonly ReportedEnd[]): Promise<FinishedTask[]> {
  const asked = listLatest(listReadable(ends));
  if (asked.length === 0) return ends.map(({ uid }) => ({ uid, accepted: false }));
  const agents = asked.map(({ agentUid }) => agentUid);
  const lines = asked.some((end) => end.lines.length > 0) ? renderLogLines(asked) : null;
  const values = [...renderEnds({ random: Math.random }, asked), agents, lines];
  const { rows } = await retryCollisions(() => database.query<FinishedRow>({ name: "finish-together", text, values }));
  return describeFinished(ends, asked, rows);
}

/** Returns the last report of each agent about each lease. An agent that got no response repeats its report. */
function listLatest(ends: readonly ReportedEnd[]): ReportedEnd[] {
  return [...new Map(ends.map((end) => [`${end.uid} ${end.leaseToken} ${end.agentUid}`, end])).values()];
}
