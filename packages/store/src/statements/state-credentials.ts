import type { Database } from "../pool.ts";
import { readState, stateColumns, stateTables, type StateColumns, type StateRow } from "./states.ts";

/** What a run may do, and to which state; the state as it was at the same moment. */
export interface StateRun {
  readonly taskUid: string;
  readonly leaseToken: string;
  readonly operationUid: string | null;
  readonly actor: string;
  /** False when the lease has run out but nobody has taken it back yet: it may still be renewed. */
  readonly isRenewed: boolean;
  readonly state: StateRow;
}

const open = `with held as (
  select e.uid, e.kind, e.name, e.environment, p.uid as project_uid, t.operation_uid
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
)
insert into state_credential (hash, entity_uid, task_uid, lease_token, operation_uid, actor)
select $1, opened.entity_uid, $2, $3, held.operation_uid, $5 from held join opened on opened.entity_uid = held.uid
returning entity_uid`;

/** Makes a credential for the state of the entity whose task the agent holds; undefined when it does not hold it any more. */
export async function openState(
  database: Database,
  given: { hash: Buffer; taskUid: string; leaseToken: string; agentUid: string; actor: string },
): Promise<string | undefined> {
  const values = [given.hash, given.taskUid, given.leaseToken, given.agentUid, given.actor];
  const { rows } = await database.query<{ entity_uid: string }>({ name: "open-state", text: open, values });
  return rows[0]?.entity_uid;
}

const find = `select c.task_uid as run_task_uid, c.lease_token as run_lease_token, c.operation_uid as run_operation_uid, c.actor as run_actor,
  l.leased_until > clock_timestamp() as is_renewed, ${stateColumns}
from ${stateTables}
join state_credential c on c.entity_uid = s.entity_uid
join task_line l on l.entity_uid = c.entity_uid and l.task_uid = c.task_uid and l.lease_token = c.lease_token
where c.hash = $1 and c.entity_uid = $2`;

type Found = StateColumns & {
  readonly run_task_uid: string;
  readonly run_lease_token: string;
  readonly run_operation_uid: string | null;
  readonly run_actor: string;
  readonly is_renewed: boolean;
};

/** The run of this credential for this state, if its lease is still the one of the entity's line. */
export async function findStateRun(database: Database, hash: Buffer, entityUid: string): Promise<StateRun | undefined> {
  const { rows } = await database.query<Found>({ name: "find-state-run", text: find, values: [hash, entityUid] });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { run_task_uid, run_lease_token, run_operation_uid, run_actor, is_renewed, ...columns } = row;
  return {
    taskUid: run_task_uid,
    leaseToken: run_lease_token,
    operationUid: run_operation_uid,
    actor: run_actor,
    isRenewed: is_renewed,
    state: readState(columns),
  };
}
