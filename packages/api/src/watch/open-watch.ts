import type { Method } from "@cloudwright/contract";
import { formatPosition, isAfter, readChanges, resolvePosition, scanEntities, type Position } from "@cloudwright/store";
import { Fault } from "@cloudwright/platform";
import { authorise, requireCaller, type Call, type Caller } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { parseSelector } from "../paging/filter.ts";
import { requireProject, visible } from "../methods/list-entities.ts";
import { requireServed } from "../http/served.ts";
import { resolveTarget } from "../entities/target.ts";
import { includesEntity, typeFor, type Audience } from "./audience.ts";
import { ChangeFrames, Frame } from "./frame.ts";
import { rightsChanged, type Hub, type Sink, type Watcher } from "./hub.ts";

export interface WatchInput {
  readonly project: string;
  readonly parent: string;
  readonly labelSelector: string;
  /** The position after which to resume. If empty, all existing entities are sent first. */
  readonly resourceVersion: string;
}

const pageSize = 500;

/** An authorised watch that can be started. */
export interface PreparedWatch {
  /** Sends the changes that the client has missed, then every new change. The returned function ends the watch. */
  start(sink: Sink): Promise<() => void>;
}

/** Runs all checks that can reject a watch, before the first byte of the stream is sent. */
export async function prepareWatch(
  deps: ApiDeps & { hub: Hub },
  call: Call,
  method: Method,
  input: WatchInput,
): Promise<PreparedWatch> {
  requireServed(deps.served, method);
  const audience = await resolveAudience(deps, call, method, input);
  const from = input.resourceVersion === "" ? undefined : await resolvePosition(deps.pool, input.resourceVersion);
  return { start: (sink) => startWatch(deps, call, audience, from, sink) };
}

async function startWatch(
  deps: ApiDeps & { hub: Hub },
  call: Call,
  audience: Audience,
  from: Position | undefined,
  sink: Sink,
): Promise<() => void> {
  let held: ChangeFrames[] | undefined = [];
  let sent: Position = from ?? { xid: 0n, seq: 0n };
  let skips = (_xid: bigint): boolean => false;
  const forward = (changes: readonly ChangeFrames[]): void => {
    const frames: Frame[] = [];
    for (const item of changes) {
      if (!isAfter(item.change.position, sent)) continue;
      sent = item.change.position;
      const type = skips(item.change.position.xid) ? undefined : typeFor(audience, item.change);
      if (type !== undefined) frames.push(item.as(type));
    }
    if (frames.length > 0) sink.send(frames);
  };
  const watcher: Watcher = {
    caller: requireCaller(call),
    sink,
    receive(changes) {
      if (held === undefined) forward(changes);
      else for (const change of changes) held.push(change);
    },
    mark(position) {
      // While missed changes are being sent, the feed is ahead of the client, so a bookmark would make the client skip changes when it
      // resumes.
      if (held !== undefined) return;
      if (isAfter(position, sent)) sent = position;
      sink.send([new Frame("BOOKMARK", "", formatPosition(sent), "")]);
    },
  };
  const part = await deps.hub.join(watcher);
  // From now on, the hub reports changes to rights. This check covers changes that were made between the authentication of the call and
  // this point.
  if ((await watcher.caller.isCurrent?.()) === false) {
    part();
    throw rightsChanged();
  }
  const expiry = endAtExpiry(deps, watcher);
  const leave = (): void => {
    clearTimeout(expiry);
    part();
  };
  try {
    if (from === undefined) {
      const snapshot = await sendExisting(deps, watcher.caller, audience, sink);
      sent = { xid: snapshot.xmin, seq: 0n };
      skips = (xid) => snapshot.sees(xid);
    }
    for (;;) {
      const missed = await readChanges(deps.pool, sent, pageSize, audience.project === "" ? undefined : audience.project);
      if (missed.length === 0) break;
      forward(missed.map((change) => new ChangeFrames(change)));
    }
    const waiting = held;
    held = undefined;
    forward(waiting);
    return leave;
  } catch (error) {
    leave();
    throw error;
  }
}

function endAtExpiry(deps: Pick<ApiDeps, "clock">, { caller, sink }: Watcher): NodeJS.Timeout | undefined {
  if (caller.expiresAtMs === undefined) return undefined;
  // Timer delays are limited to 2^31 - 1 ms, or about 25 days. A stream that would last longer ends after that time, and the client can
  // reconnect.
  const leftMs = Math.min(caller.expiresAtMs - deps.clock.now(), 2 ** 31 - 1);
  return setTimeout(() => sink.end(new Fault(apiFaults.unauthenticated, "the credential has expired")), leftMs).unref();
}

/** How long a client may take to catch up before the next page of existing entities is sent. */
const patienceMs = 20_000;
const scansPerUser = 2;
const scanning = new Map<string, number>();

/**
 * Waits until the user has fewer than the maximum number of scans in progress. Each scan holds a database connection, and a single user's
 * slow clients must not use up all connections.
 */
async function takeTurn(deps: Pick<ApiDeps, "clock">, userUid: string): Promise<() => void> {
  while ((scanning.get(userUid) ?? 0) >= scansPerUser) await deps.clock.sleep(25);
  scanning.set(userUid, (scanning.get(userUid) ?? 0) + 1);
  return () => {
    const left = (scanning.get(userUid) ?? 1) - 1;
    if (left === 0) scanning.delete(userUid);
    else scanning.set(userUid, left);
  };
}

async function waitForReader(deps: Pick<ApiDeps, "clock">, sink: Sink): Promise<void> {
  const until = deps.clock.now() + patienceMs;
  while (sink.fill() > 1) {
    if (deps.clock.now() > until)
      throw new Fault(apiFaults.watch_too_slow, "the client stopped reading before all existing entities were sent");
    await deps.clock.sleep(20);
  }
}

async function sendExisting(
  deps: ApiDeps,
  caller: Caller,
  audience: Audience,
  sink: Sink,
): Promise<{ xmin: bigint; sees(xid: bigint): boolean }> {
  const endTurn = await takeTurn(deps, caller.userUid);
  const snapshot = await scanEntities(deps.pool, { project: audience.project, kind: audience.kind }, async (rows) => {
    const seen = rows.filter((row) => includesEntity(audience, { ...row, parentUid: row.parent_uid }));
    if (seen.length > 0) sink.send(seen.map((row) => new Frame("ADDED", row.kind, row.resource_version, row.object, false)));
    await waitForReader(deps, sink);
  }).finally(endTurn);
  sink.send([new Frame("SYNCED", "", formatPosition({ xid: snapshot.xmin, seq: 0n }), "")]);
  return snapshot;
}

async function resolveAudience(deps: ApiDeps, call: Call, method: Method, input: WatchInput): Promise<Audience> {
  const labels = parseSelector(input.labelSelector);
  if (method.kind === "*") {
    const reach = authorise(call, method, input.project);
    await requireProject(deps, call, input);
    const environments = reach.all ? undefined : reach.environments;
    return { project: input.project, kind: undefined, parentUid: undefined, labels, environments, names: undefined };
  }
  const target = await resolveTarget(deps, call, method, input);
  await requireProject(deps, call, target);
  const environments = target.reach.all ? undefined : target.reach.environments;
  return { project: input.project, kind: target.kind.kind, labels, environments, ...visible(call, target) };
}
