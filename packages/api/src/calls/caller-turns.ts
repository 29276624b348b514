import { Fault } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";

/** Limits the work in progress per caller, or per some other key such as a project. */
export interface CallerTurns {
  /** Runs `work` when it is the caller's turn. Skips it and throws if the caller disconnected while waiting. */
  run<Result>(caller: string, work: () => Promise<Result>, isGone?: () => boolean): Promise<Result>;
}

interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Equals the size of the database pool. One caller can therefore use all connections, but cannot queue more work ahead of other callers.
 */
const mostRunning = 16;
const mostWaiting = 1000;

/**
 * Creates the per-caller limiter for one server. Requests beyond a caller's limit wait in order of arrival, so that clients with many
 * concurrent requests keep working. If a caller has too many waiting requests, further requests are rejected.
 */
export function createCallerTurns(
  limits: { readonly running?: number; readonly waiting?: number; describe?(caller: string, requests: number): string } = {},
): CallerTurns {
  const { running = mostRunning, waiting = mostWaiting, describe = describeCaller } = limits;
  const lanes = new Map<string, Lane>();
  const leave = (caller: string, lane: Lane): void => {
    const next = lane.waiting.shift();
    if (next !== undefined) return next();
    lane.running -= 1;
    if (lane.running === 0) lanes.delete(caller);
  };
  return {
    async run(caller, work, isGone) {
      let lane = lanes.get(caller);
      if (lane === undefined) lanes.set(caller, (lane = { running: 0, waiting: [] }));
      if (lane.running < running) lane.running += 1;
      else {
        if (lane.waiting.length >= waiting)
          throw new Fault(apiFaults.rate_limited, describe(caller, running + waiting), {
            retryAfterMs: 1000,
          });
        await new Promise<void>((resolve) => lane.waiting.push(resolve));
      }
      try {
        if (isGone?.() === true) throw new Fault(apiFaults.timeout, "the caller disconnected before its request started");
        return await work();
      } finally {
        leave(caller, lane);
      }
    },
  };
}

function describeCaller(_caller: string, requests: number): string {
  return `the caller already has ${requests} requests in progress`;
}
