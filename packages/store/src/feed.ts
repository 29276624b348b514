import { backOffMs, createToken, type Clock, type Logger } from "@cloudwright/platform";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { Pool } from "./pool.ts";
import { hasChangesAfter, readChanges, readHead, type Change, type Position } from "./statements/read-changes.ts";

/** Follows the change log for the whole process: one reader for any number of listeners. */
export interface ChangeFeed {
  /**
   * Calls the listener with each batch, in order, of changes committed after this resolves. Nothing is read while there are no listeners.
   */
  subscribe(listener: (changes: readonly Change[]) => void): Promise<() => void>;
  /** Everything up to this position has been delivered to the listeners. */
  position(): Position;
  /** Announces a commit, at once in this process and soon in the others. */
  poke(): void;
  close(): Promise<void>;
}

const channel = "cloudwright_change";
const pageSize = 1000;
/** A notification can be lost. This limits the delay that it causes. */
const pollMs = 1000;
/**
 * Commits within this time share one NOTIFY. Without it NOTIFY would serialise the commits, which cost a third of the rate when measured.
 */
const notifyEveryMs = 100;
/** Pauses between reads while an older open transaction holds back changes. */
const openTransaction = { firstMs: 5, longestMs: 500 };
/** Commits in quick succession are read together, because one read costs as much as a dozen deliveries. */
const gatherMs = 5;
const retryMs = 250;

/** Starts to follow the change log from its end. */
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
    // The last listener has left in the meantime, and a new one starts at another position.
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
        // Unless another listener subscribed first and is receiving changes since an earlier head.
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
