import { gather } from "@cloudwright/platform";
import type { Database } from "@cloudwright/store";
import { finishTasks, type FinishedTask, type TaskEnd } from "./finish.ts";
import { appendLogs, type LogLine } from "./task-log.ts";

/** An agent's report that an attempt has ended, with the last lines of its log. */
export interface ReportedEnd extends TaskEnd {
  readonly agentUid: string;
  readonly lines: readonly LogLine[];
}

const queues = new WeakMap<Database, (end: ReportedEnd) => Promise<FinishedTask>>();

/**
 * Ends an attempt if the agent holds its lease. Otherwise the report is rejected and changes nothing. Concurrent reports are batched into
 * two statements. Notify the signal after the promise has resolved.
 */
export function finishTogether(database: Database, end: ReportedEnd): Promise<FinishedTask> {
  const queue = queues.get(database) ?? gather((ends: readonly ReportedEnd[]) => finishAll(database, ends));
  queues.set(database, queue);
  return queue(end);
}

async function finishAll(database: Database, ends: readonly ReportedEnd[]): Promise<FinishedTask[]> {
  const held = await appendLogs(database, ends);
  // An agent that got no response repeats its report. If both reports are in this batch, only one can be accepted.
  const single = [...new Map(held.map((end) => [end.uid, end])).values()];
  const finished = single.length === 0 ? [] : await finishTasks({ database, random: Math.random }, single);
  const answers = new Map(single.map((end, index) => [end, finished[index]]));
  return ends.map((end) => answers.get(end) ?? { uid: end.uid, accepted: false });
}
