import type { LeasedTask } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { Fault, type Clock, type Logger } from "@cloudwright/platform";
import { pause, pauseMs } from "./back-off.ts";
import type { BootTime } from "./boot-time.ts";
import { taskClientFaults } from "./faults.ts";
import { payloadVersions } from "./payload.ts";
import type { Waker } from "./waker.ts";
import type { Wire } from "./wire.ts";

/** What one lane's loop works with. */
export interface LeaseLoopDeps {
  readonly wire: Wire;
  readonly clock: Clock;
  readonly bootTime: BootTime;
  readonly log: Logger;
  /** What the agent says of itself. */
  readonly self: () => { labels: Record<string, string>; types: string[]; version: string };
  readonly lane: "long" | "short";
  /** How many tasks the lane has room for now. */
  readonly free: () => number;
  /** Woken when a task has ended. */
  readonly room: Waker;
  /** How long nothing should be taken, because nothing could be done with it. */
  readonly restMs: () => number;
  readonly start: (task: LeasedTask, sentAtMs: number) => void;
  readonly waitSeconds: number;
}

const refusedPauseMs = 10_000;
const upgradePauseMs = 30_000;
const drainingPauseMs = 5000;
/** Short tasks end within this time: the next poll then asks for all their slots, instead of one poll for each slot. */
const gatherMs = 10;

/**
 * Takes tasks of one lane while there is room. A poll that waits is never broken off to ask for more: an answer that is on its way
 * would lose its tasks until their leases expire.
 */
export async function runLeaseLoop(deps: LeaseLoopDeps, signal: AbortSignal): Promise<void> {
  const { clock, log, waitSeconds, bootTime } = deps;
  let told = "";
  for (let failures = 0; !signal.aborted;) {
    const free = Math.min(100, deps.free());
    if (free <= 0) {
      await deps.room.sleep(Infinity, signal);
      await pause(clock, gatherMs, signal);
      continue;
    }
    if (deps.restMs() > 0) {
      await pause(clock, deps.restMs(), signal);
      continue;
    }
    const sentAtMs = bootTime();
    try {
      const lanes = deps.lane === "long" ? { longLane: free, shortLane: 0 } : { longLane: 0, shortLane: free };
      const { min, max } = payloadVersions;
      const answer = await deps.wire.getTasks(
        { ...lanes, ...deps.self(), minPayloadVersion: min, maxPayloadVersion: max, waitSeconds },
        { timeoutMs: (waitSeconds + 10) * 1000, signal },
      );
      failures = 0;
      for (const task of answer.tasks) deps.start(task, sentAtMs);
      if (answer.tasks.length > 0) await pause(clock, gatherMs, signal);
      if (answer.upgrade !== told && answer.upgrade !== "") log.error({ upgrade: answer.upgrade }, "this agent is given nothing");
      told = answer.upgrade;
      if (answer.upgrade !== "") await pause(clock, upgradePauseMs, signal);
      else if (answer.draining) await pause(clock, drainingPauseMs, signal);
      // A server that does not wait although it was asked to must not be asked without end.
      else if (answer.tasks.length === 0 && bootTime() - sentAtMs < (waitSeconds * 1000) / 4)
        await pause(clock, pauseMs(2), signal);
    } catch (error) {
      if (signal.aborted) return;
      const refused = error instanceof Fault && error.code !== taskClientFaults.unreachable.code;
      log.warn({ err: error, lane: deps.lane }, "no tasks can be taken now");
      await pause(clock, refused ? refusedPauseMs : pauseMs(failures++), signal);
    }
  }
}
