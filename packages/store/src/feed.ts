import type { Clock, Logger } from "@cloudwright/platform";
import type pg from "pg";
import type { Pool } from "./pool.ts";
import { hasChangesAfter, readChanges, readHead, type Change, type Position } from "./statements/read-changes.ts";

/** Follows the change log for a whole process: one reader, however many listeners. */
export interface ChangeFeed {
  /** Called with each batch, in order, from the moment of subscription on. */
  subscribe(listener: (changes: readonly Change[]) => void): () => void;
  /** Everything up to here has been delivered to listeners. */
  position(): Position;
  /** Tells this process at once, and the others soon, that something was committed. */
  poke(): void;
  close(): Promise<void>;
}

const channel = "cloudwright_change";
const pageSize = 1000;
/** A notification can be lost; this bounds what that costs. */
const pollMs = 1000;
/** Commits within this time share one NOTIFY, which would otherwise serialise them (measured: a third of the rate). */
const notifyEveryMs = 20;
/** Changes are there but an older transaction is still open. */
const openTransactionMs = 5;

/** Starts to follow the log from its end. */
export async function startChangeFeed(deps: { pool: Pool; clock: Clock; log: Logger }): Promise<ChangeFeed> {
  const { pool, log } = deps;
  const listeners = new Set<(changes: readonly Change[]) => void>();
  const stop = new AbortController();
  let position = await readHead(pool);
  let poked = true;
  let wake: (() => void) | undefined;
  let notifyTimer: NodeJS.Timeout | undefined;
  let client: pg.Client | undefined;

  const rouse = (): void => {
    poked = true;
    wake?.();
  };
  const listen = async (): Promise<void> => {
    client = await pool.connect();
    client.on("notification", rouse);
    client.on("end", () => (client = undefined));
    await client.query(`listen ${channel}`);
  };
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const readOnce = async (): Promise<void> => {
    poked = false;
    const changes = await readChanges(pool, position, pageSize);
    const last = changes.at(-1);
    if (last !== undefined) {
      position = last.position;
      for (const listener of listeners) listener(changes);
      return;
    }
    if (poked) return;
    await pause((await hasChangesAfter(pool, position)) ? openTransactionMs : pollMs);
  };
  const follow = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        if (client === undefined) await listen();
        await readOnce();
      } catch (error) {
        if (stop.signal.aborted) return;
        log.warn({ err: error }, "cannot read the change log; trying again");
        await pause(250);
      }
    }
  };
  const following = follow();

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    position: () => position,
    poke() {
      rouse();
      notifyTimer ??= setTimeout(() => {
        notifyTimer = undefined;
        pool
          .query({ name: "notify", text: "select pg_notify($1, '')", values: [channel] })
          .catch((error: unknown) => log.debug({ err: error }, "could not notify"));
      }, notifyEveryMs);
    },
    async close() {
      stop.abort();
      clearTimeout(notifyTimer);
      wake?.();
      await following;
      await client?.end();
    },
  };
}
