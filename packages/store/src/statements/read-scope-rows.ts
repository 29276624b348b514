import { buildingTaskTypes, formatTaskType, getTaskService, partKinds, taskTypesOf, type PartKind } from "@cloudwright/contract";
import type pg from "pg";
import type { Database } from "../pool.ts";
import { epochMs } from "./epoch-ms.ts";
import { renderTypeList } from "../task-type-list.ts";

const applies = renderTypeList(taskTypesOf("apply"));

// Whether a task has started. An attempt that an agent hands back is not counted, but it may have created resources. So the start time is
// checked as well as the number of attempts.
const hasStarted = (task: string): string => `(${task}.attempt > 0 or ${task}.started_at is not null)`;

const tasks = `select
    json_agg(json_build_object('uid', t.uid, 'type', t.type, 'state', t.state, 'attempt', t.attempt, 'maxAttempts', t.max_attempts,
      'operationUid', t.operation_uid, 'fingerprint', t.inputs ->> 'fingerprint', 'retries', t.inputs -> 'retries',
      'placement', t.inputs -> 'placement', 'payloadVersion', t.inputs -> 'payloadVersion', 'cancelReason', t.cancel_reason,
      'round', t.inputs -> 'round', 'plan', t.inputs ->> 'plan',
      'outcome', t.outcome, 'progress', t.progress, 'createdAtMs', ${epochMs("t.created_at")}, 'startedAtMs', ${epochMs("t.started_at")},
      'endedAtMs', ${epochMs("t.ended_at")}, 'delayedUntilMs', ${epochMs("t.delayed_until")}) order by t.position)
      filter (where t.recent = 1 or t.state in ('waiting', 'ready', 'leased') or (t.state = 'done' and t.recent_in_state = 1)) as tasks,
    bool_or(t.type in ${applies} and ${hasStarted("t")}) as begun
  from (
    select s.*, d.type, row_number() over (partition by d.type order by s.position desc) as recent,
      row_number() over (partition by d.type, s.state order by s.position desc) as recent_in_state
    from task_state s join task_demand d on d.id = s.demand where s.entity_uid = self.uid) t`;

// Outputs come from an entity's last successful run, or from an account's last verification.
const outputs = `select s.outcome -> 'result' from task_state s join task_demand d on d.id = s.demand
  where s.entity_uid = e.uid and s.state = 'done' and d.type in ${renderTypeList(buildingTaskTypes)} order by s.position desc limit 1`;

// Selects the last six of the owner's runs that may concern one of its parts. These are applies that started or may still start, failed
// preflights, failed plans, and the newest successful plan. Also selects the last started apply and the last successful apply that include
// the part, even if they are older.
function renderRuns({ builtByOwnerAs: field, parent: { kind: owner } }: PartKind): string {
  const service = getTaskService(owner);
  const typed = (action: "apply" | "plan" | "preflight"): string => `'${formatTaskType(service, action)}'`;
  const [apply, plan] = [typed("apply"), typed("plan")];
  const parts = `s.object -> 'payload' -> '${field}'`;
  return `select json_agg(json_build_object('uid', r.uid, 'state', r.state, 'attempt', r.attempt, 'started', ${hasStarted("r")}, 'outcome', r.outcome, 'progress', r.progress,
    'built', r.type = ${apply}, 'planned', r.type = ${plan}, 'parts', r.parts, 'round', r.object -> 'payload' -> 'round')
    order by r.position desc)
  from (
    select s.*, row_number() over (order by s.position desc) as recent,
      row_number() over (partition by s.holds and ${hasStarted("s")} order by s.position desc) as recent_held,
      row_number() over (partition by s.holds, s.state order by s.position desc) as recent_in_state
    from (
      select n.*, row_number() over (partition by n.type order by n.position desc) as recent_of_type
      from (select s.*, ${parts} as parts, d.type, d.type = ${apply} and exists (
            select from json_array_elements(${parts}) p where p ->> 'uid' = self.uid::text) as holds
        from task_state s join task_demand d on d.id = s.demand
        where s.entity_uid = e.uid and (d.type in (${apply}, ${plan}) and (s.state <> 'cancelled' or ${hasStarted("s")})
          or d.type = ${typed("preflight")} and s.state = 'failed')
        order by s.position desc limit 200) n
    ) s where s.type <> ${plan} or s.state = 'failed' or s.state = 'done' and s.recent_of_type = 1
  ) r where r.recent <= 6 or r.holds and (${hasStarted("r")} and r.recent_held = 1 or r.state = 'done' and r.recent_in_state = 1)`;
}

function renderNames(names: readonly string[]): string {
  return `(${names.map((name) => `'${name}'`).join(", ")})`;
}

const runs = `case ${partKinds.map((kind) => `when self.kind = '${kind.kind}' and e.depth = 1 then (${renderRuns(kind)})`).join(" ")} end`;
const owners = renderNames([...new Set(partKinds.map(({ parent }) => parent.kind))]);
const partNames = renderNames(partKinds.map(({ kind }) => kind));

// The limit keeps PostgreSQL from choosing a query plan that reads all entities.
const byUid = (uid: string): string => `select * from entity where uid = ${uid} limit 1`;

/** Renders the statement. Omits the link table if no kind has links, because each joined table makes every pass more expensive. */
function renderText(withLinks: boolean): string {
  const linked = `(select json_agg(json_build_object('uid', e.uid, 'kind', e.kind, 'object', e.object, 'field', l.field, 'outputs', (${outputs}))
      order by l.position) from entity_link l join entity e on e.uid = l.to_uid where l.from_uid = self.uid)`;
  const linkers = "or r.uid in (select l.from_uid from entity_link l where l.to_uid = self.uid)";
  const links = withLinks ? linked : "null::json";
  const referrers = `(select * from entity r where r.parent_uid = self.uid ${withLinks ? linkers : ""})`;
  return `with recursive self as materialized (
  select * from entity where uid = any ($1)
), above as (
  select self.uid as below, e.uid, e.parent_uid, e.kind, e.object, 1 as depth from self cross join lateral (${byUid("self.parent_uid")}) e
  union all
  select above.below, e.uid, e.parent_uid, e.kind, e.object, above.depth + 1 from above cross join lateral (${byUid("above.parent_uid")}) e
)
select self.uid, self.kind, self.project, self.name, self.parent_uid as "parentUid", self.environment, self.labels, self.resource_version as version,
  self.object, ${epochMs("clock_timestamp()")} as "nowMs",
  (select json_agg(json_build_object('uid', e.uid, 'kind', e.kind, 'object', e.object, 'outputs', (${outputs}),
      'runs', ${runs}) order by e.depth)
    from above e where e.below = self.uid) as above,
  (select e.object -> 'metadata' ->> 'paused' = 'true' from entity e
    where e.project = '' and e.kind = 'Project' and e.naming_scope = '' and e.name = 'system') as "allPaused",
  (select e.object -> 'spec' -> 'maintenanceWindows' from entity e where e.uid = self.environment_uid) as windows,
  case when self.deleted_at is not null then (select json_build_object('count', count(*), 'some', (array_agg(c.kind || ' "' || c.name || '"'))[1:5],
      'failed', json_agg(json_build_object('kind', c.kind, 'name', c.name, 'message', c.object -> 'status' -> 'message',
        'operation', c.object -> 'metadata' -> 'operation')) filter (where c.deleted_at is not null and c.object -> 'status' ->> 'phase' = 'FAILED'))
    from ${referrers} c) end as referrers,
  ${links} as links,
  case when self.kind in ${owners} then (
    select json_agg(json_build_object('uid', p.uid, 'kind', p.kind, 'name', p.name, 'generation', p.object -> 'metadata' -> 'generation', 'labels', p.labels, 'spec', p.object -> 'spec',
      'retries', coalesce((select (o.object -> 'spec' ->> 'retries')::integer from entity o
        where o.about_uid = p.uid and o.name = p.object -> 'metadata' ->> 'operation'), 0)) order by p.uid)
    from (select * from entity c where c.parent_uid = self.uid offset 0) p where p.kind in ${partNames} and p.deleted_at is null) end as parts,
  (select json_agg(json_build_object('uid', o.uid, 'version', o.resource_version::text, 'object', o.object, 'environment', o.environment,
      'parentUid', o.parent_uid))
    from entity o where o.open_about_uid = self.uid) as open,
  (select json_build_object('uid', o.uid, 'version', o.resource_version::text, 'object', o.object, 'environment', o.environment, 'parentUid', o.parent_uid)
    from entity o where o.about_uid = self.uid and o.name = self.object -> 'metadata' ->> 'operation') as operation,
  t.tasks, t.begun
from self cross join lateral (${tasks}) t`;
}

const plain = { name: "read-scopes", text: renderText(false) };
const linked = { name: "read-scopes-and-links", text: renderText(true) };

/**
 * Reads everything that the reconciler needs for its decisions about the given entities. A single statement ensures a consistent snapshot.
 * Omits entities that do not exist. The caller defines the row type, because tasks and operations belong to higher-level packages.
 */
export async function readScopeRows<Row extends pg.QueryResultRow>(
  database: Database,
  uids: readonly string[],
  withLinks: boolean,
): Promise<Row[]> {
  return (await database.query<Row>({ ...(withLinks ? linked : plain), values: [uids] })).rows;
}
