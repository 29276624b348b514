import type { Database } from "../pool.ts";

/** A version of a state without its content. */
export interface StateVersionRow {
  readonly version: number;
  readonly serial: number;
  readonly lineage: string;
  /** Checksum in hexadecimal. */
  readonly md5: string;
  readonly size: number;
  readonly resources: number;
  readonly created_at: Date;
  readonly task_uid: string | null;
  readonly operation_uid: string | null;
  readonly actor: string;
  readonly deleted: boolean;
  readonly rolled_back_to: number;
}

export interface StateLockRow {
  readonly id: string;
  /** Lock information that Terraform sent. */
  readonly info: Readonly<Record<string, string>>;
  readonly taskUid: string;
  readonly leaseToken: string;
  readonly at: Date;
  /** Whether the lease to which the lock is bound is still held. */
  readonly isAlive: boolean;
}

/** A state with its entity, its newest version and its lock. */
export interface StateRow {
  readonly entityUid: string;
  readonly project: string;
  readonly kind: string;
  readonly name: string;
  readonly environment: string;
  /** Undefined until the first version is written. */
  readonly newest: StateVersionRow | undefined;
  readonly lock: StateLockRow | undefined;
}

const versionColumns = `v.version, v.serial, v.lineage, encode(v.md5, 'hex') as md5, v.size, v.resources, v.created_at, v.task_uid, v.operation_uid,
  v.actor, v.deleted, v.rolled_back_to`;

/** Name and environment come from the entity. If it was deleted, they come from the state. */
export const stateColumns = `s.entity_uid, p.name as project, s.kind, coalesce(e.name, s.name) as name, coalesce(e.environment, s.environment) as environment,
  s.lock_id, s.lock_info, s.lock_task_uid, s.lock_lease_token, s.locked_at,
  exists (select from task_line h where h.entity_uid = s.entity_uid and h.lease_token = s.lock_lease_token) as lock_alive, ${versionColumns}`;

export const stateTables = `state s join entity p on p.uid = s.project_uid left join entity e on e.uid = s.entity_uid
  left join state_version v on v.entity_uid = s.entity_uid and v.version = s.version`;

/** A row selected with `stateColumns`. */
export type StateColumns = { [Column in keyof StateVersionRow]: StateVersionRow[Column] | null } & {
  readonly entity_uid: string;
  readonly project: string;
  readonly kind: string;
  readonly name: string;
  readonly environment: string;
  readonly lock_id: string | null;
  readonly lock_info: Readonly<Record<string, string>> | null;
  readonly lock_task_uid: string | null;
  readonly lock_lease_token: string | null;
  readonly locked_at: Date | null;
  readonly lock_alive: boolean;
};

export function readState(row: StateColumns): StateRow {
  const { entity_uid, project, kind, name, environment, ...rest } = row;
  const { lock_id, lock_info, lock_task_uid, lock_lease_token, locked_at, lock_alive, ...version } = rest;
  const lock: StateLockRow | undefined =
    lock_id === null
      ? undefined
      : {
          id: lock_id,
          info: lock_info ?? {},
          taskUid: lock_task_uid ?? "",
          leaseToken: lock_lease_token ?? "",
          at: locked_at ?? new Date(0),
          isAlive: lock_alive,
        };
  const newest = version.version === null ? undefined : (version as StateVersionRow);
  return { entityUid: entity_uid, project, kind, name, environment, newest, lock };
}

/** Finds a state in a project by the uid of its entity. */
export async function findState(database: Database, project: string, entityUid: string): Promise<StateRow | undefined> {
  const text = `select ${stateColumns} from ${stateTables} where s.entity_uid = $2 and p.name = $1`;
  const { rows } = await database.query<StateColumns>({ name: "find-state", text, values: [project, entityUid] });
  return rows[0] && readState(rows[0]);
}

/** Returns one page of the states in a project, ordered by entity uid. A state has no versions if its entity was only planned. */
export async function listStates(
  database: Database,
  list: { project: string; environments: readonly string[] | undefined; after: string | undefined; limit: number },
): Promise<StateRow[]> {
  const text = `select ${stateColumns} from ${stateTables}
    where s.project_uid = (select uid from entity where project = '' and kind = 'Project' and naming_scope = '' and name = $1)
      and (s.kind <> 'Account' or s.version > 0) and ($2::text[] is null or coalesce(e.environment, s.environment) = any ($2))
      and ($3::uuid is null or s.entity_uid > $3)
    order by s.entity_uid limit $4`;
  const values = [list.project, list.environments ?? null, list.after ?? null, list.limit];
  return (await database.query<StateColumns>({ text, values })).rows.map(readState);
}

/** Returns one page of a state's versions, newest first. */
export async function listStateVersions(
  database: Database,
  list: { entityUid: string; before: number | undefined; limit: number },
): Promise<StateVersionRow[]> {
  const text = `select ${versionColumns} from state_version v where v.entity_uid = $1 and ($2::integer is null or v.version < $2)
    order by v.version desc limit $3`;
  const values = [list.entityUid, list.before ?? null, list.limit];
  return (await database.query<StateVersionRow>({ text, values })).rows;
}

/** Encrypted content of a version. `sealed` and `content` are null if the state was deleted. */
export interface StateBytesRow {
  readonly uid: string;
  readonly size: number;
  readonly sealed: Buffer | null;
  readonly content: Buffer | null;
}

export interface StateContentRow extends StateVersionRow, StateBytesRow {}

export async function findStateVersion(
  database: Database,
  entityUid: string,
  version: number,
): Promise<StateContentRow | undefined> {
  const text = `select v.uid, v.sealed, v.content, ${versionColumns} from state_version v where v.entity_uid = $1 and v.version = $2`;
  const values = [entityUid, version];
  return (await database.query<StateContentRow>({ name: "find-state-version", text, values })).rows[0];
}

/**
 * Finds the version that existed when a task started: the last one before the task's own versions. If the task wrote none, returns the last
 * one before `until`.
 */
export async function findStateVersionBefore(
  database: Database,
  { entityUid, taskUid, until }: { readonly entityUid: string; readonly taskUid: string; readonly until: Date | null },
): Promise<StateContentRow | undefined> {
  const text = `select v.uid, v.sealed, v.content, ${versionColumns} from state_version v where v.entity_uid = $1
    and v.version < coalesce((select min(own.version) from state_version own where own.entity_uid = $1 and own.task_uid = $2), 2147483647)
    and v.created_at <= coalesce($3::timestamptz, 'infinity') order by v.version desc limit 1`;
  const values = [entityUid, taskUid, until];
  return (await database.query<StateContentRow>({ name: "find-state-version-before", text, values })).rows[0];
}
