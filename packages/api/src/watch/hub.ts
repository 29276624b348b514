import { Fault, type Logger } from "@cloudwright/platform";
import { type Change, type ChangeFeed, type Position } from "@cloudwright/store";
import type { Caller } from "../calls/authorise.ts";
import { apiFaults } from "../faults.ts";
import { rulesOf } from "../kinds/rules.ts";
import { ChangeFrames, type Frame } from "./frame.ts";

/** Receives the frames for one client. */
export interface Sink {
  send(frames: readonly Frame[]): void;
  /** Returns whether the client has fallen too far behind. */
  isSlow(): boolean;
  /** Returns how full the buffer is. 0 means empty and 1 means that the limit is reached. Values above 1 are possible. */
  fill(): number;
  end(fault: Fault | undefined): void;
}

export interface Watcher {
  readonly caller: Caller;
  readonly sink: Sink;
  receive(changes: readonly ChangeFrames[]): void;
  /** Tells the watcher that it has received everything up to this position. */
  mark(position: Position): void;
}

/** Distributes the change feed to all watchers in this process. */
export interface Hub {
  /** Adds a watcher. Once the promise resolves, the watcher receives every new commit. The returned function removes the watcher. */
  join(watcher: Watcher): Promise<() => void>;
  size(): number;
  close(): void;
}

const bookmarkEveryMs = 15_000;
/** Limit on open watches per user, because each one uses memory. */
const maxWatchesPerUser = 500;

export function createHub(deps: { feed: ChangeFeed; log: Logger }): Hub {
  const watchers = new Set<Watcher>();
  let unsubscribe: (() => void) | undefined;
  let subscribing: Promise<void> | undefined;
  // The hub follows the feed only while there are watchers.
  const subscribe = async (): Promise<void> => {
    try {
      unsubscribe = await deps.feed.subscribe((changes) => tell(changes));
    } finally {
      subscribing = undefined;
      unsubscribeIfAlone();
    }
  };
  const unsubscribeIfAlone = (): void => {
    if (watchers.size > 0) return;
    unsubscribe?.();
    unsubscribe = undefined;
  };
  const leave = (watcher: Watcher): void => {
    if (watchers.delete(watcher)) unsubscribeIfAlone();
  };
  const requireRoom = ({ userUid }: Caller): void => {
    let own = 0;
    for (const { caller } of watchers) if (caller.userUid === userUid) own += 1;
    if (own >= maxWatchesPerUser) {
      throw new Fault(apiFaults.rate_limited, `this user already has ${maxWatchesPerUser} open watches, which is the limit`, {
        retryAfterMs: 10_000,
      });
    }
  };
  const drop = (watcher: Watcher, fault: Fault): void => {
    leave(watcher);
    watcher.sink.end(fault);
  };
  // An error in one watcher must not affect the others.
  const deliver = (watcher: Watcher, frames: readonly ChangeFrames[]): void => {
    try {
      watcher.receive(frames);
    } catch (error) {
      deps.log.error({ err: error }, "could not send changes to a watcher");
      drop(watcher, new Fault(apiFaults.internal, "the changes could not be sent"));
    }
  };
  const tell = (changes: readonly Change[]): void => {
    const frames = changes.map((change) => new ChangeFrames(change));
    const rights = changes.filter(concernsRights);
    for (const watcher of watchers) {
      if (rights.some((change) => touches(change, watcher.caller))) {
        drop(watcher, rightsChanged());
      } else if (watcher.sink.isSlow()) {
        drop(watcher, new Fault(apiFaults.watch_too_slow, "the client reads more slowly than changes arrive"));
      } else deliver(watcher, frames);
    }
  };
  // Detects credentials that became invalid without an entry in the change log, such as expired sessions.
  const recheck = async (watcher: Watcher): Promise<void> => {
    try {
      if ((await watcher.caller.isCurrent?.()) === false) drop(watcher, rightsChanged());
    } catch (error) {
      deps.log.debug({ err: error }, "could not recheck a watcher's credential");
    }
  };
  const bookmarks = setInterval(() => {
    const position = deps.feed.position();
    for (const watcher of watchers) {
      if (!watcher.sink.isSlow()) watcher.mark(position);
      void recheck(watcher);
    }
  }, bookmarkEveryMs);
  bookmarks.unref();
  return {
    async join(watcher) {
      requireRoom(watcher.caller);
      watchers.add(watcher);
      try {
        if (unsubscribe === undefined) await (subscribing ??= subscribe());
      } catch (error) {
        leave(watcher);
        throw error;
      }
      return () => leave(watcher);
    },
    size: () => watchers.size,
    close() {
      clearInterval(bookmarks);
      for (const watcher of watchers) drop(watcher, new Fault(apiFaults.shutting_down, "the server is stopping"));
    },
  };
}

export function rightsChanged(): Fault {
  return new Fault(apiFaults.unauthenticated, "the caller's rights changed; open the watch again");
}

function concernsRights(change: Change): boolean {
  return change.type !== "ADDED" && rulesOf(change.kind).changesRightsOf !== undefined;
}

/**
 * Returns whether a change affects the caller's rights. If so, the watch is closed, so that the client reconnects and is authorised again.
 */
function touches(change: Change, caller: Caller): boolean {
  return rulesOf(change.kind).changesRightsOf?.(change, caller) === true;
}
