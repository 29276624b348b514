import { randomUUID } from "node:crypto";
import { backOffMs, type Logger } from "@cloudwright/platform";
import type { Pool } from "./pool.ts";

/** Notifies waiters in all processes that a commit may contain what they are waiting for. */
export interface Signal {
  /** Number that increases with each notification. Read it before checking for work, then wait until it changes. */
  version(): number;
  /** Wakes the waiters. Must be called after the commit. */
  notify(): void;
  subscribe(listener: () => void): () => void;
  close(): Promise<void>;
}

/**
 * Notifications within this interval share one NOTIFY. The first is sent immediately. The interval grows while notifications keep arriving,
 * because a constant 10 ms slowed down benchmark P4 by 5 %.
 */
const interval = { firstMs: 10, longestMs: 80 };
const reconnectMs = 250;

/** Creates a signal on a PostgreSQL notification channel. */
export function createSignal(deps: { readonly pool: Pool; readonly log: Logger }, channel: string): Signal {
  const { pool, log } = deps;
  const listeners = new Set<() => void>();
  // Identifies notifications from this process. They were already delivered locally, so they are ignored when they come back from the
  // database.
  const self = randomUUID();
  const stop = new AbortController();
  let version = 0;
  let pending = false;
  let intervals = 0;
  let timer: NodeJS.Timeout | undefined;

  const deliver = (): void => {
    version += 1;
    for (const listener of listeners) listener();
  };
  const tellOthers = (): void => {
    pending = false;
    timer = setTimeout(
      () => {
        timer = undefined;
        intervals = pending ? intervals + 1 : 0;
        if (pending) tellOthers();
      },
      backOffMs(interval, intervals),
    );
    timer.unref();
    pool
      .query({ name: "notify-signal", text: "select pg_notify($1, $2)", values: [channel, self] })
      .catch((error: unknown) => log.debug({ err: error }, "could not notify"));
  };
  const listening = keepListening(deps, channel, stop.signal, (from) => {
    if (from !== self) deliver();
  });
  return {
    version: () => version,
    notify() {
      deliver();
      pending = true;
      if (timer === undefined) tellOthers();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      stop.abort();
      clearTimeout(timer);
      await listening;
    },
  };
}

/** Listens until `stop` is aborted. Treats a reconnect as a notification, because notifications may have been missed. */
async function keepListening(
  { pool, log }: { readonly pool: Pool; readonly log: Logger },
  channel: string,
  stop: AbortSignal,
  heard: (from: string | undefined) => void,
): Promise<void> {
  while (!stop.aborted) {
    try {
      const client = await pool.connect();
      const ended = new Promise<void>((resolve) => {
        client.once("end", () => resolve());
        stop.addEventListener("abort", () => resolve(), { once: true });
        // The signal may have been closed while the client was connecting. The abort event is not repeated.
        if (stop.aborted) resolve();
      });
      client.on("notification", ({ payload }) => heard(payload));
      await client.query(`listen ${channel}`);
      heard(undefined);
      await ended;
      if (stop.aborted) await client.end();
    } catch (error) {
      if (stop.aborted) return;
      log.warn({ err: error }, "cannot listen for notifications; retrying");
    }
    if (!stop.aborted) await pause(reconnectMs, stop);
  }
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stop.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

/** Creates the signal that informs reconcilers about due entities. */
export function createWakeSignal(deps: { readonly pool: Pool; readonly log: Logger }): Signal {
  return createSignal(deps, "cloudwright_due");
}

/**
 * Waits until the signal's version exceeds `since`, the timeout elapses or the caller aborts. Returns true only if the version has
 * increased.
 */
export function waitForSignal(signal: Signal, since: number, timeoutMs: number, abort: AbortSignal): Promise<boolean> {
  if (signal.version() !== since) return Promise.resolve(true);
  if (abort.aborted || timeoutMs <= 0) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (woken: boolean): void => {
      clearTimeout(timer);
      unsubscribe();
      abort.removeEventListener("abort", giveUp);
      resolve(woken);
    };
    const giveUp = (): void => end(false);
    const timer = setTimeout(giveUp, timeoutMs);
    const unsubscribe = signal.subscribe(() => end(true));
    abort.addEventListener("abort", giveUp, { once: true });
  });
}
