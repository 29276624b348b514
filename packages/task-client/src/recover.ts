import type { LeasedTask } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { Fault, type Clock, type Logger } from "@cloudwright/platform";
import { pause, pauseMs } from "./back-off.ts";
import type { BootTime } from "./boot-time.ts";
import { taskClientFaults } from "./faults.ts";
import { listJournals, readJournal, removeTaskDirectory, type JournalStory } from "./journal.ts";
import { killGroups, killLeases, leaseName } from "./process-table.ts";
import type { Wire } from "./wire.ts";

/** A task from an earlier agent process whose lease is still valid. */
export interface RecoveredTask {
  readonly story: JournalStory;
  readonly task: LeasedTask;
  readonly sentAtMs: number;
  readonly cancelReason: string;
}

/**
 * Kills programs that a killed agent left running and returns the tasks that can be resumed. Deletes the directories of all other tasks.
 */
export async function recoverTasks(
  deps: { wire: Wire; log: Logger; clock: Clock; bootTime: BootTime; root: string },
  signal: AbortSignal,
): Promise<RecoveredTask[]> {
  const { root, log } = deps;
  const stories = listJournals(root).flatMap((uid) => {
    const story = readJournal(root, uid);
    if (story === undefined) removeTaskDirectory(root, uid);
    return story === undefined ? [] : [story];
  });
  if (stories.length === 0) return [];
  killGroups(stories.flatMap(({ children }) => children));
  killLeases(new Set(stories.map(({ leased }) => leaseName(leased.leaseToken))));

  const { sentAtMs, answers } = await askForLeases(deps, stories, signal);
  const kept = stories.flatMap((story): RecoveredTask[] => {
    const answer = answers.get(story.leased.uid);
    if (answer?.renewed !== true) {
      removeTaskDirectory(root, story.leased.uid);
      return [];
    }
    const task = { ...story.leased, leaseSeconds: answer.leaseSeconds };
    return [{ story, task, sentAtMs, cancelReason: answer.cancelReason }];
  });
  log.info({ found: stories.length, kept: kept.length }, "found unfinished tasks");
  return kept;
}

async function askForLeases(
  deps: { wire: Wire; log: Logger; clock: Clock; bootTime: BootTime },
  stories: readonly JournalStory[],
  signal: AbortSignal,
): Promise<{ sentAtMs: number; answers: Map<string, { renewed: boolean; cancelReason: string; leaseSeconds: number }> }> {
  const tasks = stories.map(({ leased: { uid, leaseToken } }) => ({ uid, leaseToken, message: "the agent has restarted" }));
  for (let tries = 0; ; tries += 1) {
    signal.throwIfAborted();
    const sentAtMs = deps.bootTime();
    try {
      const answer = await deps.wire.heartbeat({ tasks: tasks.slice(0, 200) }, { timeoutMs: 10_000, signal });
      const { leaseSeconds } = answer;
      return {
        sentAtMs,
        answers: new Map(answer.tasks.map(({ uid, renewed, cancelReason }) => [uid, { renewed, cancelReason, leaseSeconds }])),
      };
    } catch (error) {
      // If the server rejects the agent, its leases are no longer valid.
      if (error instanceof Fault && error.code !== taskClientFaults.unreachable.code) return { sentAtMs, answers: new Map() };
      deps.log.warn({ err: error }, "cannot renew the previous leases yet");
      await pause(deps.clock, pauseMs(tries), signal);
    }
  }
}
