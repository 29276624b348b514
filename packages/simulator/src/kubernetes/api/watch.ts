import type { ClusterState, WatchedChange } from "../cluster/cluster-state.ts";
import type { KubeObject } from "../cluster/kube-object.ts";
import { apiVersionOf, storageKey } from "../kinds/kinds.ts";
import type { Answer, ResourceCall } from "./call.ts";
import { readMatch, selectKept } from "./list.ts";
import { readRepresentation } from "./representation.ts";
import { badRequest, expired } from "./status-error.ts";
import type { Match } from "./selectors.ts";

interface Piece {
  readonly version: number;
  readonly type: string;
  readonly object: KubeObject;
  readonly size: number;
}

const bookmarkEveryMs = 60_000;
/** A watcher with more unread data is disconnected. When it reconnects, it must list the objects again. */
const mostUnreadBytes = 8 * 1024 * 1024;
/** The limit on unread data for all watchers of a cluster together. */
const mostUnreadBytesOfAll = 64 * 1024 * 1024;

/**
 * Handles a watch request. Sends the changes since the requested version, and then new changes as they happen, until the timeout elapses or
 * the client disconnects.
 */
export function watchObjects(call: ResourceCall): Answer {
  const from = call.query.get("resourceVersion") ?? "";
  const sendsInitial = call.query.get("sendInitialEvents") === "true";
  const { state } = call.cluster;
  if (!/^\d*$/.test(from)) throw badRequest(`Invalid value: "${from}": resourceVersion must be a number`);
  const startsNow = sendsInitial || from === "" || from === "0";
  const missed = startsNow ? [] : state.changesAfter(Number(from));
  if (missed === undefined || Number(from) > state.version())
    throw expired(`too old resource version: ${from} (${state.version()})`);
  return { code: 200, body: undefined, contentType: "application/json", stream: stream(call, startsNow, sendsInitial) };
}

async function* stream(call: ResourceCall, startsNow: boolean, marksInitial: boolean): AsyncGenerator<string> {
  const { state } = call.cluster;
  const from = startsNow ? state.version() : Number(call.query.get("resourceVersion"));
  const initial = startsNow ? selectKept(call).map(({ object, size }) => ({ version: from, type: "ADDED", object, size })) : [];
  const missed = startsNow ? [] : [...(state.changesAfter(from) ?? [])];
  const representation = readRepresentation(call);
  const match = readMatch(call);
  const allowsBookmarks = call.query.get("allowWatchBookmarks") === "true" || marksInitial;
  const print = async ({ type, object, size }: Piece): Promise<string> => {
    if (size > largeSize) await takeTurn();
    return `{"type":"${type}","object":${representation.next(object)}}\n`;
  };
  const bookmark = (annotations?: Record<string, string>): string => {
    const metadata = { resourceVersion: String(seen), creationTimestamp: null, ...(annotations && { annotations }) };
    return `${JSON.stringify({ type: "BOOKMARK", object: { kind: call.kind.kind, apiVersion: apiVersionOf(call.kind), metadata } })}\n`;
  };

  const waiting: Piece[] = [];
  const unread = countUnread(state);
  let isTooSlow = false;
  let wake = (): void => undefined;
  // The latest version that the stream has handled. Changes up to this version are skipped if they are announced again.
  let seen = missed.at(-1)?.version ?? from;
  // Drops all changes, because the watcher will be disconnected.
  const giveUp = (): void => {
    isTooSlow = true;
    waiting.length = 0;
    unread.end();
  };
  const offer = (change: WatchedChange): void => {
    if (change.version <= seen) return;
    seen = change.version;
    const piece = pieceOf(call, match, change);
    if (piece === undefined) return;
    if (isTooSlow) return;
    if (unread.add(piece.size)) {
      waiting.push(piece);
      reading.version = Math.min(reading.version, piece.version - 1);
    } else giveUp();
    wake();
  };
  const reading = state.startReading(() => {
    giveUp();
    initial.length = 0;
    missed.length = 0;
    wake();
  });
  reading.version = from;
  const stop = state.onChange(offer);
  try {
    for (const piece of initial) yield await print(piece);
    if (isTooSlow) return;
    if (marksInitial) yield bookmark({ "k8s.io/initial-events-end": "true" });
    for (const change of missed) {
      const piece = pieceOf(call, match, change);
      if (piece !== undefined) yield await print(piece);
    }
    const endsAtMs = call.cluster.clock.now() + readTimeoutMs(call);
    while (!call.signal.aborted && !state.ended.aborted) {
      if (isTooSlow) return;
      const next = waiting.shift();
      // A piece contains the object as it is after the change, or as it was before a deletion.
      reading.version = (next?.version ?? Infinity) - 1;
      if (next !== undefined) {
        unread.add(-next.size);
        yield await print(next);
        continue;
      }
      const leftMs = endsAtMs - call.cluster.clock.now();
      if (leftMs <= 0) break;
      const isIdle = await sleepUntilWoken(call, Math.min(leftMs, bookmarkEveryMs), (woken) => (wake = woken));
      if (isIdle && allowsBookmarks && leftMs > bookmarkEveryMs) yield bookmark();
    }
    // A final bookmark lets the client resume from here, even if no object of its kind has changed for a long time.
    if (!call.signal.aborted && !state.ended.aborted && allowsBookmarks) yield bookmark();
  } finally {
    stop();
    unread.end();
    state.endReading(reading);
  }
}

/** Objects of at least this size are rendered one per turn of the event loop, so that many watchers do not delay other requests. */
const largeSize = 16 * 1024;
let lastTurn: Promise<void> = Promise.resolve();

function takeTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
  return lastTurn;
}

const unreadBytes = new WeakMap<ClusterState, { bytes: number }>();

/** Counts the changes that a watcher has not read. `add` returns false if they exceed the limit of the watcher or of its cluster. */
function countUnread(state: ClusterState): { add(bytes: number): boolean; end(): void } {
  const all = unreadBytes.get(state) ?? { bytes: 0 };
  unreadBytes.set(state, all);
  let own = 0;
  const change = (bytes: number): void => {
    own += bytes;
    all.bytes += bytes;
  };
  return {
    add(bytes) {
      if (bytes > 0 && (own + bytes > mostUnreadBytes || all.bytes + bytes > mostUnreadBytesOfAll)) return false;
      change(bytes);
      return true;
    },
    end: () => change(-own),
  };
}

async function sleepUntilWoken(call: ResourceCall, ms: number, listen: (wake: () => void) => void): Promise<boolean> {
  const woken = new AbortController();
  listen(() => woken.abort());
  return call.cluster.clock.sleep(ms, AbortSignal.any([woken.signal, call.signal, call.cluster.state.ended])).then(
    () => true,
    () => false,
  );
}

function readTimeoutMs(call: ResourceCall): number {
  const asked = Number(call.query.get("timeoutSeconds") ?? 0);
  return (asked > 0 ? asked : 1_800) * 1000;
}

// With a selector, an object that starts matching is reported as added, and one that stops matching as deleted.
function pieceOf(call: ResourceCall, match: Match | undefined, change: WatchedChange): Piece | undefined {
  if (change.resource !== storageKey(call.kind)) return undefined;
  if (call.namespace !== "" && change.object.metadata.namespace !== call.namespace) return undefined;
  const { version, type, object, previous, size } = change;
  if (match === undefined) return { version, type, object, size };
  const did = previous !== undefined && match(previous);
  if (type === "DELETED") return did ? { version, type, object, size } : undefined;
  const does = match(object);
  if (does) return { version, type: did ? "MODIFIED" : "ADDED", object, size };
  if (!did) return undefined;
  return {
    version,
    type: "DELETED",
    object: { ...previous, metadata: { ...previous.metadata, resourceVersion: object.metadata.resourceVersion } },
    size,
  };
}
