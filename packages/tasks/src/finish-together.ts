import { gather } from "@cloudwright/platform";
import type { Database } from "@cloudwright/store";
import { finishTasks, type FinishedTask, type TaskEnd } from "./finish.ts";
import { appendLogs, type LogLine } from "./task-log.ts";

/** The end of an attempt as its agent reports it, with the last lines of its log. */
export interface ReportedEnd extends TaskEnd {
  readonly agentUid: string;
  readonly lines: readonly LogLine[];
}

const queues = new WeakMap<Database, (end: ReportedEnd) => Promise<FinishedTask>>();

/**
 * Ends an attempt for the agent that holds its lease. Any other report is rejected and changes nothing. Ends that are reported at the same
 * time share two statements. Notify the signal after it has resolved.
 */
export function finishTogether(database: Database, end: ReportedEnd): Promise<FinishedTask> {
  const queue = queues.get(database) ?? gather((ends: readonly ReportedEnd[]) => finishAll(database, ends));
  queues.set(database, queue);
  return queue(end);
}

async function finishAll(database: Database, ends: readonly ReportedEnd[]): Promise<FinishedTask[]> {
  const held = await appendLogs(database, ends);
  // An agent without a response reports again, perhaps within the same group. Only one of its reports can be accepted.
  const single = [...new Map(held.map((end) => [end.uid, end])).values()];
  const finished = single.length === 0 ? [] : await finishTasks({ database, random: Math.random }, single);
  const answers = new Map(single.map((end, index) => [end, finished[index]]));
  return ends.map((end) => answers.get(end) ?? { uid: end.uid, accepted: false });
}
