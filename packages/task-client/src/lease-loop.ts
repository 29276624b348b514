import type { LeasedTask } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { Fault, type Clock, type Logger } from "@cloudwright/platform";
import { pause, pauseMs } from "./back-off.ts";
import type { BootTime } from "./boot-time.ts";
import { taskClientFaults } from "./faults.ts";
import { payloadVersions } from "./payload.ts";
import type { Waker } from "./waker.ts";
import type { Wire } from "./wire.ts";

export interface LeaseLoopDeps {
  readonly wire: Wire;
  readonly clock: Clock;
  readonly bootTime: BootTime;
  readonly log: Logger;
  /** Returns the agent's labels, task types and version. */
  readonly self: () => { labels: Record<string, string>; types: string[]; version: string };
  readonly lane: "long" | "short";
  /** Returns the number of free slots in the lane. */
  readonly free: () => number;
  /** The number of slots in the lane, including busy ones. */
  readonly slots: number;
  /** Wakes the loop when a task has ended. */
  readonly slotFreed: Waker;
  /**
   * Returns how long to wait before taking new tasks, in milliseconds. The value is positive only for some time after the agent has found
   * its disk to be full.
   */
  readonly restMs: () => number;
  /** Returns the duration of the task that ended last. */
  readonly lastRunMs: () => number;
  readonly start: (task: LeasedTask, sentAtMs: number) => void;
  readonly waitSeconds: number;
}

const refusedPauseMs = 10_000;
const upgradePauseMs = 30_000;
const drainingPauseMs = 5000;
/** Short tasks often end together. Waiting this long lets a single poll refill all of their slots. */
const gatherMs = 10;
/** Only tasks that ran for less than this time are considered short. */
const quickRunMs = 100;

/**
 * Leases tasks for one lane while slots are free. A waiting poll is never aborted to request more tasks. If its response were lost, the
 * leased tasks would be blocked until their leases expire.
 */
export async function runLeaseLoop(deps: LeaseLoopDeps, signal: AbortSignal): Promise<void> {
  const { clock, log, waitSeconds, bootTime } = deps;
  let told = "";
  const gatherSlots = async (): Promise<void> => {
    if (deps.lastRunMs() < quickRunMs) await pause(clock, gatherMs, signal);
  };
  for (let failures = 0; !signal.aborted;) {
    const free = Math.min(100, deps.free());
    if (free <= 0) {
      await deps.slotFreed.sleep(Infinity, signal);
      await gatherSlots();
      continue;
    }
    if (deps.restMs() > 0) {
      await pause(clock, deps.restMs(), signal);
      continue;
    }
    const sentAtMs = bootTime();
    try {
      const lanes =
        deps.lane === "long"
          ? { longLane: free, shortLane: 0, longSlots: deps.slots }
          : { longLane: 0, shortLane: free, shortSlots: deps.slots };
      const { min, max } = payloadVersions;
      const answer = await deps.wire.getTasks(
        { ...lanes, ...deps.self(), minPayloadVersion: min, maxPayloadVersion: max, waitSeconds },
        { timeoutMs: (waitSeconds + 10) * 1000, signal },
      );
      failures = 0;
      for (const task of answer.tasks) deps.start(task, sentAtMs);
      if (answer.tasks.length > 0) await gatherSlots();
      if (answer.upgrade !== told && answer.upgrade !== "") log.error({ upgrade: answer.upgrade }, "this agent gets no tasks");
      told = answer.upgrade;
      if (answer.upgrade !== "") await pause(clock, upgradePauseMs, signal);
      else if (answer.draining) await pause(clock, drainingPauseMs, signal);
      // Pauses if the server responds early without tasks. Otherwise the loop would poll continuously.
      else if (answer.tasks.length === 0 && bootTime() - sentAtMs < (waitSeconds * 1000) / 4)
        await pause(clock, pauseMs(2), signal);
    } catch (error) {
      if (signal.aborted) return;
      const refused = error instanceof Fault && error.code !== taskClientFaults.unreachable.code;
      log.warn({ err: error, lane: deps.lane }, "cannot take tasks now");
      await pause(clock, refused ? refusedPauseMs : pauseMs(failures++), signal);
    }
  }
}
