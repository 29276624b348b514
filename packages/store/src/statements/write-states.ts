import type { Database } from "../pool.ts";
import { traceParameters, traceSql, type Trace } from "../trace.ts";

/** A lock to set on a state. */
export interface StateLockWrite {
  readonly id: string;
  readonly info: Readonly<Record<string, string>>;
  readonly taskUid: string;
  readonly leaseToken: string;
}

const setLock = `update state set lock_id = $3, lock_info = $4, lock_task_uid = $5, lock_lease_token = $6,
  locked_at = case when $3::text is not null then clock_timestamp() end
where entity_uid = $1 and lock_id is not distinct from $2 returning entity_uid`;
const setLockTraced = `with written as (${setLock}), ${traceSql("written", 7)} select entity_uid from written`;

/** Sets or removes the lock of a state. Returns false if the lock has changed since it was read. */
export async function setStateLock(
  database: Database,
  change: { entityUid: string; from: string | null; to: StateLockWrite | null },
  trace?: Trace,
): Promise<boolean> {
  const { entityUid, from, to } = change;
  const values = [entityUid, from, to?.id, to && JSON.stringify(to.info), to?.taskUid, to?.leaseToken].map(
    (value) => value ?? null,
  );
  const statement =
    trace === undefined
      ? { name: "set-state-lock", text: setLock, values }
      : { text: setLockTraced, values: [...values, ...traceParameters(trace)] };
  return (await database.query(statement)).rows.length === 1;
}

/** A version to write. A version without content records that the state was deleted. */
export interface StateVersionWrite {
  readonly uid: string;
  readonly serial: number;
  readonly lineage: string;
  readonly md5: Buffer;
  readonly size: number;
  readonly resources: number;
  /** Number of resources, not counting data sources. */
  readonly managed: number;
  readonly taskUid: string | null;
  readonly operationUid: string | null;
  readonly actor: string;
  readonly rolledBackTo: number;
  readonly sealed: Buffer | null;
  readonly content: Buffer | null;
}

const write = `update state set version = version + 1, lock_id = case when $4 then null else lock_id end
  where entity_uid = $1 and version = $2 and lock_id is not distinct from $3 returning entity_uid, version`;
const insert = `insert into state_version (entity_uid, version, uid, serial, lineage, md5, size, resources, task_uid, operation_uid, actor, deleted,
    rolled_back_to, sealed, content, managed)
  select w.entity_uid, w.version, $5, $6, $7, $8, $9, $10, $11, $12, $13, $16::bytea is null, $14, $15, $16, $17 from written w`;
const writeVersion = `with written as (${write}), inserted as (${insert}) select version from written`;
const writeVersionTraced = `with written as (${write}), inserted as (${insert}), ${traceSql("written", 18)} select version from written`;

/** Writes the next version. Returns undefined if the version or the lock has changed since it was read. */
export async function writeStateVersion(
  database: Database,
  expected: { entityUid: string; version: number; lockId: string | null; unlock?: boolean },
  next: StateVersionWrite,
  trace?: Trace,
): Promise<number | undefined> {
  const values = [
    expected.entityUid,
    expected.version,
    expected.lockId,
    expected.unlock ?? false,
    next.uid,
    next.serial,
    next.lineage,
    next.md5,
    next.size,
    next.resources,
    next.taskUid,
    next.operationUid,
    next.actor,
    next.rolledBackTo,
    next.sealed,
    next.content,
    next.managed,
  ];
  const statement =
    trace === undefined
      ? { name: "write-state-version", text: writeVersion, values }
      : { text: writeVersionTraced, values: [...values, ...traceParameters(trace)] };
  return (await database.query<{ version: number }>(statement)).rows[0]?.version;
}
