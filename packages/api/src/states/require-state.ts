import type { Method } from "@cloudwright/contract";
import { Fault, isUid } from "@cloudwright/platform";
import { findState, findStateVersion, type StateContentRow, type StateRow } from "@cloudwright/store";
import type { Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { requirePlaced, type PlacedRef } from "../entities/require-placed.ts";
import { apiFaults } from "../faults.ts";
import { notFound } from "../entities/target.ts";

/** Identifies a state. `name` is the uid of its entity. */
export type StateRef = PlacedRef;

/** Returns the requested state. A caller without access gets the same fault as for an unknown state. */
export function requireState(deps: Pick<ApiDeps, "pool">, call: Call, method: Method, ref: StateRef): Promise<StateRow> {
  return requirePlaced(deps, call, method, { ...ref, kind: "State" }, () =>
    isUid(ref.name) ? findState(deps.pool, ref.project, ref.name) : Promise.resolve(undefined),
  );
}

/** Returns a version of a state with its contents. Version 0 means the newest one. */
export async function requireVersion(
  deps: Pick<ApiDeps, "pool">,
  { entityUid, newest }: StateRow,
  version: number,
): Promise<StateContentRow> {
  const wanted = version || (newest?.version ?? 0);
  const found = await findStateVersion(deps.pool, entityUid, wanted);
  if (found === undefined) throw notFound("StateVersion", String(wanted));
  return found;
}

/** Throws if a run holds the lock. A lock whose holder has lost its lease is ignored. */
export function requireUnlocked({ lock, name }: StateRow): void {
  if (lock?.isAlive !== true) return;
  throw new Fault(
    apiFaults.state_locked,
    `the state of "${name}" is locked by task ${lock.taskUid}, which still holds its lease`,
  );
}
