import type { JsonObject } from "@cloudwright/contract";
import type { Database } from "../pool.ts";
import { forgottenOf, type ForgottenResource } from "./forgotten-resources.ts";
import { readState, stateColumns, stateTables, type StateBytesRow, type StateColumns, type StateRow } from "./states.ts";

/** The run that a credential identifies, with the state of its entity at the same moment. */
export interface StateRun {
  readonly taskUid: string;
  readonly leaseToken: string;
  readonly operationUid: string | null;
  readonly actor: string;
  /** The agent that holds the lease. */
  readonly agentUid: string;
  /** False if the lease has expired but has not been revoked yet, so that it can still be renewed. */
  readonly isRenewed: boolean;
  readonly state: StateRow;
  /** Content of the newest version. Null if it was not requested or does not exist. */
  readonly content: StateBytesRow;
}

const open = `with held as (
  select e.uid, e.kind, e.name, e.environment, e.project, p.uid as project_uid, t.operation_uid, e.object #> '{spec,infra,backend}' as backend, e.sealed, t.object ->> 'type' as task_type
  from task t join task_line l on l.entity_uid = t.entity_uid and l.task_uid = t.uid
  join entity e on e.uid = t.entity_uid
  join entity p on p.project = '' and p.kind = 'Project' and p.naming_scope = '' and p.name = e.project
  where t.uid = $2 and l.lease_token = $3 and l.agent_uid = $4 and l.leased_until > clock_timestamp()
), opened as (
  insert into state (entity_uid, project_uid, kind, name, environment) select uid, project_uid, kind, name, environment from held
  on conflict (entity_uid) do update set name = excluded.name, environment = excluded.environment
  returning entity_uid
), forgotten as (
  delete from state_credential c using held where c.entity_uid = held.uid and c.lease_token <> $3
), written as (
  insert into state_credential (hash, entity_uid, task_uid, lease_token, operation_uid, actor)
  select $1, opened.entity_uid, $2, $3, held.operation_uid, $5 from held join opened on opened.entity_uid = held.uid
  returning entity_uid
)
select held.uid, held.kind, held.name, held.project, held.backend, held.sealed, held.task_type,
  ${forgottenOf("held.uid")} as forgotten
from written join held on held.uid = written.entity_uid`;

/** The entity whose state was opened. */
export interface OpenedState {
  readonly uid: string;
  readonly kind: string;
  readonly name: string;
  readonly project: string;
  /** `spec.infra.backend` of the entity, or null if it is not set. */
  readonly backend: JsonObject | null;
  /** Resources that runs must not adopt again, or null if there are none. */
  readonly forgotten: readonly ForgottenResource[] | null;
  /** The entity's encrypted secrets. Null if it has none. */
  readonly sealed: Buffer | null;
  readonly task_type: string;
}

/**
 * Creates a credential for the state of the entity whose task the agent holds. Returns the entity, or undefined if the agent no longer holds
 * the task.
 */
export async function openState(
  database: Database,
  given: { hash: Buffer; taskUid: string; leaseToken: string; agentUid: string; actor: string },
): Promise<OpenedState | undefined> {
  const values = [given.hash, given.taskUid, given.leaseToken, given.agentUid, given.actor];
  return (await database.query<OpenedState>({ name: "open-state", text: open, values })).rows[0];
}

const find = (more: string): string => `select c.task_uid as run_task_uid, c.lease_token as run_lease_token,
  c.operation_uid as run_operation_uid, c.actor as run_actor, l.agent_uid as run_agent_uid, l.leased_until > clock_timestamp() as is_renewed, ${more}${stateColumns}
from ${stateTables}
join state_credential c on c.entity_uid = s.entity_uid
join task_line l on l.entity_uid = c.entity_uid and l.task_uid = c.task_uid and l.lease_token = c.lease_token
where c.hash = $1 and c.entity_uid = $2`;
/** State contents up to this size are read in the same query as the run. */
export const smallContentBytes = 256 * 1024;
const small = `v.uid as content_uid, case when v.size <= ${smallContentBytes} then v.sealed end as content_sealed,
  case when v.size <= ${smallContentBytes} then v.content end as content, `;
const statements = {
  head: { name: "find-state-run", text: find("") },
  small: { name: "read-small-state-run", text: find(small) },
  content: { name: "read-state-run", text: find("v.uid as content_uid, v.sealed as content_sealed, v.content, ") },
};

type Found = StateColumns & {
  readonly run_task_uid: string;
  readonly run_lease_token: string;
  readonly run_operation_uid: string | null;
  readonly run_actor: string;
  readonly run_agent_uid: string;
  readonly is_renewed: boolean;
  readonly content_uid?: string | null;
  readonly content_sealed?: Buffer | null;
  readonly content?: Buffer | null;
};

/**
 * Finds the run that a credential identifies, if the run still holds the entity's lease. `part` decides whether the newest state content is
 * included: never with `head`, always with `content`, and with `small` only if it has at most `smallContentBytes`.
 */
export async function findStateRun(
  database: Database,
  hash: Buffer,
  entityUid: string,
  part: keyof typeof statements,
): Promise<StateRun | undefined> {
  const { rows } = await database.query<Found>({ ...statements[part], values: [hash, entityUid] });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { run_task_uid, run_lease_token, run_operation_uid, run_actor, run_agent_uid, is_renewed, ...rest } = row;
  const { content_uid = null, content_sealed = null, content = null, ...columns } = rest;
  return {
    taskUid: run_task_uid,
    leaseToken: run_lease_token,
    operationUid: run_operation_uid,
    actor: run_actor,
    agentUid: run_agent_uid,
    isRenewed: is_renewed,
    state: readState(columns),
    content: { uid: content_uid ?? "", sealed: content_sealed, content, size: columns.size ?? 0 },
  };
}

/** Credential that a run presents to the state endpoint. */
export interface RunCredential {
  readonly hash: Buffer;
  readonly entityUid: string;
  readonly taskUid: string;
}

const heldBy = `from state_credential c
join task_line l on l.entity_uid = c.entity_uid and l.task_uid = c.task_uid and l.lease_token = c.lease_token and l.leased_until > clock_timestamp()
where c.hash = $1 and c.entity_uid = $2 and c.task_uid = $3 and s.entity_uid = c.entity_uid`;
const lock = `update state s set lock_id = $4, lock_info = $5, lock_task_uid = c.task_uid, lock_lease_token = c.lease_token, locked_at = clock_timestamp()
${heldBy} and s.lock_id is null returning s.entity_uid`;
const unlock = `update state s set lock_id = null ${heldBy} and s.lock_id = $4 and s.lock_lease_token = c.lease_token returning s.entity_uid`;

/**
 * Locks an unlocked state for a run that holds its lease, in one statement. If this function returns false, the caller must use the slower
 * general path.
 */
export async function takeFreeLock(
  database: Database,
  { hash, entityUid, taskUid }: RunCredential,
  { id, info }: { readonly id: string; readonly info: Readonly<Record<string, string>> },
): Promise<boolean> {
  const values = [hash, entityUid, taskUid, id, JSON.stringify(info)];
  return (await database.query({ name: "take-free-lock", text: lock, values })).rows.length === 1;
}

/** Releases the lock that a run holds, in one statement. If this function returns false, the caller must use the slower general path. */
export async function giveLockBack(
  database: Database,
  { hash, entityUid, taskUid }: RunCredential,
  id: string,
): Promise<boolean> {
  const values = [hash, entityUid, taskUid, id];
  return (await database.query({ name: "give-lock-back", text: unlock, values })).rows.length === 1;
}
