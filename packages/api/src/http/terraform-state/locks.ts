import { Fault } from "@cloudwright/platform";
import { setStateLock, type StateRun } from "@cloudwright/store";
import type { Json } from "@cloudwright/contract";
import type { ApiDeps } from "../../deps.ts";
import { apiFaults } from "../../faults.ts";
import { isObject } from "../../entities/json-tree.ts";
import { orphanedLock, traceState } from "../../states/trace-state.ts";
import { keepText } from "../../agents/task-words.ts";

/** The stored part of Terraform's lock information. */
export type LockInfo = Readonly<Record<string, string>> & { readonly ID: string };

const fields = ["Operation", "Info", "Who", "Version", "Path"];
const maxLength = 1024;
/** Size limit for the body of LOCK and UNLOCK requests. */
export const maxInfoBytes = 64 * 1024;

/** Parses the body of a LOCK or UNLOCK request. Returns undefined if it is not lock information. */
export function readLockInfo(body: Buffer): LockInfo | undefined {
  const json = parse(body);
  const id = isObject(json) ? json["ID"] : undefined;
  if (!isObject(json) || typeof id !== "string" || !/^[\x21-\x7e]{1,128}$/.test(id)) return undefined;
  const texts = fields.map((name) => [name, typeof json[name] === "string" ? keepText(json[name]).slice(0, maxLength) : ""]);
  const { Created } = json;
  // Terraform rejects the lock information if it cannot parse the time, so an invalid time is dropped.
  const time = typeof Created === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(Created) ? { Created } : {};
  return { ...Object.fromEntries(texts), ...time, ID: id };
}

function parse(body: Buffer): Json {
  try {
    return JSON.parse(body.toString("utf8")) as Json;
  } catch {
    return null;
  }
}

/**
 * Acquires the lock for a run. The run holds the only lease on the entity, so a lock from any other lease is orphaned. The run takes
 * over such a lock and writes an event. Returns true if the run holds the lock, or undefined if the lock changed concurrently.
 */
export async function lockState(deps: ApiDeps, run: StateRun, info: LockInfo | undefined): Promise<true | undefined> {
  if (info === undefined) throw malformed();
  const { state, taskUid, leaseToken } = run;
  const { lock, entityUid } = state;
  if (lock?.leaseToken === leaseToken) {
    // The client may be repeating a request whose response was lost.
    if (lock.id === info.ID) return true;
    throw new Fault(apiFaults.state_locked, `the state is locked with the id "${lock.id}"`, { extra: { ...lock.info } });
  }
  const to = { id: info.ID, info, taskUid, leaseToken };
  const trace = lock === undefined ? undefined : await traceState(deps, state, [orphanedLock(lock)]);
  const isSet = await setStateLock(deps.pool, { entityUid, from: lock?.id ?? null, to }, trace);
  if (isSet && trace !== undefined) deps.feed.poke();
  return isSet || undefined;
}

/** Releases the lock. Succeeds even if the state is not locked, because the client may be repeating a request whose response was lost. */
export async function unlockState(
  deps: Pick<ApiDeps, "pool">,
  run: StateRun,
  info: LockInfo | undefined,
): Promise<true | undefined> {
  if (info === undefined) throw malformed();
  const { ID: lockId } = info;
  const { lock, entityUid } = run.state;
  if (lock === undefined) return true;
  if (lock.id !== lockId || lock.leaseToken !== run.leaseToken)
    throw new Fault(apiFaults.state_not_held, `the state is locked with the id "${lock.id}", not "${lockId}"`);
  return (await setStateLock(deps.pool, { entityUid, from: lockId, to: null })) || undefined;
}

function malformed(): Fault {
  return new Fault(apiFaults.state_malformed, "the body is not Terraform's lock information");
}
