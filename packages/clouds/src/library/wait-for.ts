import { backOffMs } from "@cloudwright/platform/back-off";
import type { LibraryClock } from "./call-options.ts";
import { createCloudFault, isCloudFault } from "./errors.ts";

/** What to wait for, and how long. */
export interface Wait<Value> {
  readonly cloud: string;
  /** The beginning of the message "... after 30 minutes", for example `the cluster main is still CREATING`. */
  readonly describe: (last: Value | undefined) => string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Reads the current state. */
  readonly read: (signal: AbortSignal | undefined) => Promise<Value>;
  /** Returns whether the wait is over. Throws if the desired state can no longer be reached. */
  readonly isDone: (value: Value) => boolean;
  /**
   * How long `read` may throw `clouds.not_found`. Set it after a creation, because new resources do not appear in all responses
   * immediately. Default: 0.
   */
  readonly notFoundMs?: number;
}

/** Pauses between two reads. The first ones are short, because scaling and deletions often finish immediately. */
const pause = { firstMs: 250, longestMs: 10_000 };

const final = new WeakSet<object>();

/**
 * Marks a fault that ends every wait, regardless of its category. An example is the failure of an operation that the cloud had accepted.
 */
export function endWaits<Fault extends object>(fault: Fault): Fault {
  final.add(fault);
  return fault;
}

/**
 * Reads a state until it is the desired one, and returns it. Repeats reads that fail because the cloud throttles requests or is
 * unavailable. When the time limit is reached, throws `clouds.timeout` with the last failure as its cause.
 */
export async function waitFor<Value>(clock: LibraryClock, wait: Wait<Value>): Promise<Value> {
  const { cloud, timeoutMs, signal, notFoundMs = 0 } = wait;
  const startMs = clock.now();
  let last: Value | undefined;
  let failure: unknown;
  for (let reads = 0; ; reads += 1) {
    signal?.throwIfAborted();
    const passedMs = clock.now() - startMs;
    try {
      last = await wait.read(signal);
      failure = undefined;
    } catch (error) {
      signal?.throwIfAborted();
      const isPassing =
        isCloudFault(error, "throttled", "unavailable") || (isCloudFault(error, "not_found") && passedMs < notFoundMs);
      if (!isPassing || final.has(error)) throw error;
      failure = error;
    }
    if (failure === undefined && wait.isDone(last as Value)) return last as Value;
    const leftMs = timeoutMs - (clock.now() - startMs);
    if (leftMs <= 0) {
      const message = `${wait.describe(last)} after ${renderMinutes(timeoutMs)}`;
      throw createCloudFault(message, { cloud, category: "timeout" }, failure === undefined ? {} : { cause: failure });
    }
    await clock.sleep(Math.min(leftMs, backOffMs(pause, reads)), signal);
  }
}

function renderMinutes(ms: number): string {
  return ms < 120_000 ? `${Math.round(ms / 1000)} seconds` : `${Math.round(ms / 60_000)} minutes`;
}
