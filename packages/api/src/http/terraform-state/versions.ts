import { createUid, Fault } from "@cloudwright/platform";
import { writeStateVersion, type StateRun, type StateVersionWrite } from "@cloudwright/store";
import type { ApiDeps } from "../../deps.ts";
import { apiFaults } from "../../faults.ts";
import type { StateHead } from "../../states/parse-state.ts";
import { openContent, sealContent } from "../../states/state-content.ts";

/** Returns the newest version of a state exactly as it was stored, or undefined if there is none. */
export async function readNewest(
  deps: Pick<ApiDeps, "keyRing">,
  { state, content }: StateRun,
): Promise<{ content: Buffer; md5: Buffer } | undefined> {
  const bytes = await openContent(deps.keyRing, content);
  return bytes && { content: bytes, md5: Buffer.from(state.newest?.md5 ?? "", "hex") };
}

/** A state sent by a run. */
export interface SentState {
  readonly content: Buffer;
  /** Lock id from the query string. Terraform omits it if it runs without locking. */
  readonly lockId: unknown;
  /** Checksum from the Content-MD5 header, in base64. */
  readonly md5: unknown;
}

/**
 * Returns a function that writes the next version. Only the lock holder may write, and the version must follow the newest one. The write
 * fails if the lock or the version has changed since they were read.
 */
export async function writeState(
  deps: Pick<ApiDeps, "pool" | "clock" | "keyRing" | "documents">,
  project: string,
  { content: given, lockId, md5: sent }: SentState,
): Promise<(run: StateRun) => Promise<number | undefined>> {
  const { content, head, md5 } = await deps.documents.parseState(project, given);
  if (sent !== undefined && sent !== md5.toString("base64"))
    throw new Fault(apiFaults.state_damaged, "the MD5 checksum sent with the state does not match its body");
  const uid = createUid(deps.clock.now());
  const sealed = await sealContent(deps.keyRing, uid, content);
  return (run) => {
    const { newest, entityUid } = run.state;
    const heldId = requireLock(run, lockId);
    // The client may be repeating a request whose response was lost.
    if (newest !== undefined && !newest.deleted && newest.serial === head.serial && newest.md5 === md5.toString("hex"))
      return Promise.resolve(newest.version);
    requireSuccession(run, head);
    const next = { ...draft(run), uid, ...head, md5, size: content.length, ...sealed };
    return writeStateVersion(deps.pool, { entityUid, version: newest?.version ?? 0, lockId: heldId }, next);
  };
}

/** Returns the id of the lock that the request names. Throws if the run does not hold this lock. */
export function requireLock({ state: { lock }, leaseToken }: StateRun, lockId: unknown): string {
  if (typeof lockId !== "string" || lock?.id !== lockId || lock.leaseToken !== leaseToken)
    throw new Fault(apiFaults.state_not_held, "only the holder of the lock can write the state");
  return lockId;
}

function requireSuccession({ state: { newest } }: StateRun, { serial, lineage }: StateHead): void {
  if (newest === undefined || newest.deleted) return;
  if (lineage !== newest.lineage)
    throw new Fault(apiFaults.state_stale, `the state has lineage "${lineage}", but the newest version has "${newest.lineage}"`);
  if (serial <= newest.serial)
    throw new Fault(apiFaults.state_stale, `the state has serial ${serial}, but the newest version has ${newest.serial}`);
}

const noMd5 = Buffer.alloc(0);

/**
 * Adds a version that marks the state as deleted. Only the holder of the lock may delete. Terraform does not send a lock id with DELETE, so
 * the lock must belong to the run's lease. Earlier versions are kept, and the next version may have a different lineage.
 */
export async function deleteState(deps: Pick<ApiDeps, "pool" | "clock">, run: StateRun): Promise<number | undefined> {
  const { newest, lock, entityUid } = run.state;
  if (lock === undefined || lock.leaseToken !== run.leaseToken)
    throw new Fault(apiFaults.state_not_held, "only the holder of the lock can delete the state");
  if (newest === undefined || newest.deleted) return newest?.version ?? 0;
  const { version, serial, lineage } = newest;
  const next = {
    ...draft(run),
    uid: createUid(deps.clock.now()),
    serial,
    lineage,
    resources: 0,
    managed: 0,
    md5: noMd5,
    size: 0,
  };
  return writeStateVersion(deps.pool, { entityUid, version, lockId: lock.id }, { ...next, sealed: null, content: null });
}

function draft({
  taskUid,
  operationUid,
  actor,
}: StateRun): Pick<StateVersionWrite, "taskUid" | "operationUid" | "actor" | "rolledBackTo"> {
  return { taskUid, operationUid, actor, rolledBackTo: 0 };
}
