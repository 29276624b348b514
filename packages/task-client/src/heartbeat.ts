import type { Clock, Logger } from "@cloudwright/platform";
import { pauseMs } from "./back-off.ts";
import type { BootTime } from "./boot-time.ts";
import type { TaskRun } from "./task-run.ts";
import { createWaker } from "./waker.ts";
import type { Wire } from "./wire.ts";

/** Renews the leases of all running tasks. */
export interface Heartbeat {
  /**
   * Schedules the next heartbeat: immediately, soon because there is progress to report, or just in time to renew the lease of a task whose
   * outcome is being delivered.
   */
  beat(when: "now" | "soon" | "in-time"): void;
  /** Sends heartbeats until the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
}

const newsMs = 2000;
const mostTasks = 200;

/** Creates a heartbeat. It is sent three times per lease duration, and earlier if there is progress to report. */
export function createHeartbeat(deps: {
  readonly wire: Wire;
  readonly bootTime: BootTime;
  readonly clock: Clock;
  readonly log: Logger;
  readonly runs: () => readonly TaskRun[];
}): Heartbeat {
  const { wire, bootTime, log } = deps;
  const waker = createWaker(deps.clock);
  let dueMs = 0;
  let lastMs = 0;
  let leaseSeconds = 30;

  const send = async (runs: readonly TaskRun[], signal: AbortSignal): Promise<void> => {
    const sentAtMs = bootTime();
    const tasks = runs.map((run) => run.report());
    const answer = await wire.heartbeat({ tasks }, { timeoutMs: Math.max(1000, (leaseSeconds * 1000) / 3), signal });
    leaseSeconds = answer.leaseSeconds || leaseSeconds;
    const answers = new Map(answer.tasks.map((task) => [task.uid, task]));
    for (const [index, run] of runs.entries()) {
      const { renewed = false, cancelReason = "" } = answers.get(run.task.uid) ?? {};
      run.heard({ sentAtMs, leaseSeconds, renewed, cancelReason, seq: tasks[index]?.lines?.at(-1)?.seq ?? 0 });
    }
  };

  return {
    beat(when) {
      const wantedMs = when === "now" ? 0 : when === "soon" ? lastMs + newsMs : Math.max(dueMs, bootTime() + newsMs);
      const isSooner = wantedMs < dueMs;
      dueMs = when === "in-time" && dueMs <= bootTime() ? wantedMs : Math.min(dueMs, wantedMs);
      if (isSooner || when !== "soon") waker.wake();
    },
    async run(signal) {
      for (let failures = 0; !signal.aborted;) {
        const runs = deps.runs();
        const waitMs = runs.length === 0 ? Infinity : dueMs - bootTime();
        if (waitMs > 0) {
          await waker.sleep(waitMs, signal);
          continue;
        }
        lastMs = bootTime();
        dueMs = lastMs + (Math.min(leaseSeconds, ...runs.map(({ task }) => task.leaseSeconds)) * 1000) / 3;
        try {
          for (let from = 0; from < runs.length; from += mostTasks) await send(runs.slice(from, from + mostTasks), signal);
          failures = 0;
          if (deps.runs().some((run) => run.hasNews())) dueMs = Math.min(dueMs, lastMs + newsMs);
        } catch (error) {
          if (signal.aborted) return;
          log.warn({ err: error, tasks: runs.length }, "heartbeat failed");
          dueMs = Math.min(dueMs, bootTime() + pauseMs(failures++, 2000));
        }
      }
    },
  };
}
