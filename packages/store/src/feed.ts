import { backOffMs, createToken, type Clock, type Logger } from "@cloudwright/platform";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { Pool } from "./pool.ts";
import { hasChangesAfter, readChanges, readHead, type Change, type Position } from "./statements/read-changes.ts";

/** Follows the change log on behalf of the whole process, with one reader for any number of listeners. */
export interface ChangeFeed {
  /**
   * Calls the listener with all changes that are committed after the returned promise resolves, in batches and in commit order. Without
   * listeners, nothing is read from the database.
   */
  subscribe(listener: (changes: readonly Change[]) => void): Promise<() => void>;
  /** Returns the position up to which all changes have been delivered to the listeners. */
  position(): Position;
  /** Announces a commit: immediately in this process, and after a short delay in others. */
  poke(): void;
  close(): Promise<void>;
}

const channel = "cloudwright_change";
const pageSize = 1000;
/** Polling interval. It limits the delay if a notification is lost. */
const pollMs = 1000;
/** Commits within this interval share one NOTIFY. Commits that each send a NOTIFY are serialised, which reduced throughput by a third in measurements. */
const notifyEveryMs = 100;
/** Length of the pauses between reads while an older open transaction holds back later changes. */
const openTransaction = { firstMs: 5, longestMs: 500 };
/** Commits in quick succession are read together, because one read costs as much as a dozen deliveries. */
const gatherMs = 5;
const retryMs = 250;

/** Starts following the change log at its current end. */
export async function startChangeFeed(deps: { pool: Pool; clock: Clock; log: Logger }): Promise<ChangeFeed> {
  const { pool, log } = deps;
  const listeners = new Set<(changes: readonly Change[]) => void>();
  const stop = new AbortController();
  const name = createToken();
  let position = await readHead(pool);
  let poked = false;
  let blocked = 0;
  let wake: (() => void) | undefined;
  let resting: NodeJS.Timeout | undefined;
  let untold = false;
  let client: pg.Client | undefined;

  const rouse = (): void => {
    if (listeners.size === 0) return;
    poked = true;
    wake?.();
  };
  const listen = async (): Promise<void> => {
    client = await pool.connect();
    client.on("notification", ({ payload }) => {
      if (payload !== name) rouse();
    });
    client.on("end", () => (client = undefined));
    await client.query(`listen ${channel}`);
  };
  const pause = async (ms: number): Promise<void> => {
    if (poked || stop.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  };
  const notify = (): void => {
    untold = false;
    resting = setTimeout(() => {
      resting = undefined;
      if (untold) notify();
    }, notifyEveryMs);
    pool
      .query({ name: "notify", text: "select pg_notify($1, $2)", values: [channel, name] })
      .catch((error: unknown) => log.debug({ err: error }, "could not notify"));
  };
  const readOnce = async (): Promise<void> => {
    poked = false;
    if (listeners.size === 0) return pause(pollMs);
    const from = position;
    const changes = await readChanges(pool, from, pageSize);
    // The position differs if all listeners unsubscribed during this read and a new one subscribed at another position.
    if (position !== from) return undefined;
    const last = changes.at(-1);
    if (last !== undefined) {
      position = last.position;
      blocked = 0;
      for (const listener of listeners) listener(changes);
    }
    if (changes.length === pageSize) return undefined;
    if (poked) return delay(gatherMs);
    if (!(await hasChangesAfter(pool, position))) return pause(pollMs);
    blocked += 1;
    return pause(backOffMs(openTransaction, blocked - 1));
  };
  const follow = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        if (client === undefined) await listen();
        await readOnce();
      } catch (error) {
        if (stop.signal.aborted) return;
        log.warn({ err: error }, "cannot read the change log; retrying");
        poked = false;
        await pause(retryMs);
      }
    }
  };
  const following = follow();

  return {
    async subscribe(listener) {
      if (listeners.size === 0) {
        const head = await readHead(pool);
        // If another listener subscribed during the query, the feed must continue from that listener's position.
        if (listeners.size === 0) position = head;
      }
      listeners.add(listener);
      rouse();
      return () => void listeners.delete(listener);
    },
    position: () => position,
    poke() {
      rouse();
      if (resting === undefined) notify();
      else untold = true;
    },
    async close() {
      stop.abort();
      clearTimeout(resting);
      wake?.();
      await following;
      await client?.end();
    },
  };
}
