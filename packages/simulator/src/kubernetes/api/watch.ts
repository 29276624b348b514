import type { WatchedChange } from "../cluster/cluster-state.ts";
import type { KubeObject } from "../cluster/kube-object.ts";
import { apiVersionOf, storageKey } from "../kinds/kinds.ts";
import type { Answer, ResourceCall } from "./call.ts";
import { readMatch, selectKept } from "./list.ts";
import { readRepresentation } from "./representation.ts";
import { badRequest, expired } from "./status-error.ts";
import type { Match } from "./selectors.ts";

interface Piece {
  readonly type: string;
  readonly object: KubeObject;
}

const bookmarkEveryMs = 60_000;
/** A watcher that reads too slowly is disconnected. When it reconnects, it must list the objects again. */
const mostUnreadBytes = 8 * 1024 * 1024;

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
  const initial = startsNow ? selectKept(call).map(({ object }) => ({ type: "ADDED", object })) : [];
  const from = startsNow ? state.version() : Number(call.query.get("resourceVersion"));
  const missed = startsNow ? [] : (state.changesAfter(from) ?? []);
  const representation = readRepresentation(call);
  const match = readMatch(call);
  const allowsBookmarks = call.query.get("allowWatchBookmarks") === "true" || marksInitial;
  const print = ({ type, object }: Piece): string => `${JSON.stringify({ type, object: representation.next(object) })}\n`;
  const bookmark = (annotations?: Record<string, string>): string => {
    const metadata = { resourceVersion: String(seen), creationTimestamp: null, ...(annotations && { annotations }) };
    return `${JSON.stringify({ type: "BOOKMARK", object: { kind: call.kind.kind, apiVersion: apiVersionOf(call.kind), metadata } })}\n`;
  };

  const waiting: string[] = [];
  let unread = 0;
  let wake = (): void => undefined;
  // The latest version that the stream has handled. Changes up to this version are skipped if they are announced again.
  let seen = missed.at(-1)?.version ?? from;
  const offer = (change: WatchedChange): void => {
    if (change.version <= seen) return;
    seen = change.version;
    const piece = pieceOf(call, match, change);
    if (piece === undefined) return;
    const line = print(piece);
    unread += line.length;
    // Once the limit is exceeded, lines are dropped, because the watcher will be disconnected anyway.
    if (unread <= mostUnreadBytes) waiting.push(line);
    wake();
  };
  const stop = state.onChange(offer);
  try {
    yield initial.map(print).join("");
    if (marksInitial) yield bookmark({ "k8s.io/initial-events-end": "true" });
    yield missed
      .flatMap((change) => pieceOf(call, match, change) ?? [])
      .map(print)
      .join("");
    const endsAtMs = call.cluster.clock.now() + readTimeoutMs(call);
    while (!call.signal.aborted && !state.ended.aborted) {
      if (unread > mostUnreadBytes) return;
      if (waiting.length > 0) {
        unread = 0;
        yield waiting.splice(0).join("");
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
  }
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
  const { type, object, previous } = change;
  if (match === undefined) return { type, object };
  const did = previous !== undefined && match(previous);
  if (type === "DELETED") return did ? { type, object } : undefined;
  const does = match(object);
  if (does) return { type: did ? "MODIFIED" : "ADDED", object };
  if (!did) return undefined;
  return {
    type: "DELETED",
    object: { ...previous, metadata: { ...previous.metadata, resourceVersion: object.metadata.resourceVersion } },
  };
}
