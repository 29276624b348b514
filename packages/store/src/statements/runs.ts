import { taskTypesOf } from "@cloudwright/contract";
import type { Database } from "../pool.ts";
import { renderTypeList } from "../task-type-list.ts";
import { planIsCurrent, tellingAttempt } from "./judge-plans.ts";

export const runStates = [
  "PLANNING",
  "PLANNED",
  "NEEDS_APPROVAL",
  "APPLYING",
  "DONE",
  "FAILED",
  "CANCELLED",
  "DISCARDED",
  "STALE",
] as const;
export type RunState = (typeof runStates)[number];

/** A run consists of the task that started it, the resulting plan, and the task that applies the plan. */
export interface RunRow {
  readonly uid: string;
  readonly project: string;
  readonly environment: string;
  readonly kind: string;
  readonly entityUid: string;
  readonly name: string;
  readonly operationUid: string | null;
  readonly generation: number | null;
  readonly purpose: "apply" | "destroy";
  readonly state: RunState;
  /** The latest progress message from the tasks, or the reason why they failed. */
  readonly words: string | null;
  /** Why the apply failed after it had taken the plan. Null if the run is not stale, or if the apply was interrupted. */
  readonly failure: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly applyUid: string | null;
  readonly plan: RunPlanRow | null;
  /** Number of resources that a deletion removes. Null for other runs, and if the platform does not store the state. */
  readonly removes: number | null;
}

/** A plan without its changes to each resource. */
export interface RunPlanRow {
  readonly serial: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly findings: readonly Readonly<Record<string, string>>[];
  readonly needsApproval: boolean;
  readonly expiresAt: string;
  readonly approvedBy: string | null;
  readonly approvedAt: string | null;
  readonly discardedBy: string | null;
  readonly discardedAt: string | null;
  readonly comment: string;
  readonly isExpired: boolean;
}

const [planTypes, applyTypes, destroyTypes] = (["plan", "apply", "destroy"] as const).map((action) =>
  renderTypeList(taskTypesOf(action)),
);
/** Task types that start a run. */
const runTypes = renderTypeList(taskTypesOf("plan", "destroy"));

/** Excludes tasks of an earlier project with the same name. */
const ofProject = `t.project = $1 and t.created_at >= coalesce(
  (select created_at from entity where project = '' and kind = 'Project' and naming_scope = '' and name = $1), '-infinity')`;

/**
 * Selects the task that applies the plan. If several tasks name the plan, selects the newest, because a cancelled task is replaced by a new
 * one. If none does, selects the next apply task of the same operation.
 */
const applied = `select a.uid, a.state, a.ended_at, a.outcome, a.progress, a.cancel_reason from task_state a join task_demand ad on ad.id = a.demand
  where d.type in ${planTypes} and a.entity_uid = t.entity_uid and a.position > t.position and case
    when a.object -> 'payload' ->> 'plan' is not null then a.object -> 'payload' ->> 'plan' = t.uid::text
    else p.uid is null and ad.type in ${applyTypes} and a.operation_uid is not distinct from t.operation_uid end
  order by case when a.object -> 'payload' ->> 'plan' is null then a.position else -a.position end limit 1`;

const laterRun = `exists (select from task later join task_demand ld on ld.id = later.demand
  where later.entity_uid = t.entity_uid and later.position > t.position and ld.type in ${runTypes})`;

/** Fault codes of an apply whose plan was lost or no longer matches the state. */
const staleCodes = "('deployer.plan_gone', 'terraform.plan_stale')";

const state = `case
  when d.type in ${destroyTypes} then case t.state when 'leased' then 'APPLYING' when 'waiting' then 'PLANNED' when 'ready' then 'PLANNED' else upper(t.state) end
  when t.state in ('waiting', 'ready', 'leased') then 'PLANNING'
  when t.state <> 'done' then upper(t.state)
  when p.discarded_at is not null then 'DISCARDED'
  when a.state in ('waiting', 'ready') and p.taken_at is null then 'PLANNED'
  when a.state in ('waiting', 'ready', 'leased') then 'APPLYING'
  when a.state = 'failed' and a.outcome -> 'fault' ->> 'code' in ${staleCodes} then 'STALE'
  when a.uid is not null then upper(a.state)
  when ${laterRun} then 'STALE'
  when o.object -> 'status' ->> 'state' in ('DONE', 'CANCELLED') then o.object -> 'status' ->> 'state'
  when t.operation_uid is not null and coalesce(o.object -> 'status' ->> 'state', '') not in ('WAITING', 'RUNNING') then 'STALE'
  when t.operation_uid is not null and e.object -> 'metadata' ->> 'operation' is distinct from o.name then 'STALE'
  when p.uid is not null and not ${planIsCurrent} then 'STALE'
  when p.needs_approval and p.approved_at is null then case when p.expires_at > clock_timestamp() then 'NEEDS_APPROVAL' else 'STALE' end
  else 'PLANNED' end`;

const words = (task: string): string =>
  `coalesce(${task}.outcome -> 'fault' ->> 'message', nullif(${task}.cancel_reason, ''), ${task}.outcome ->> 'message', ${task}.progress ->> 'message')`;

/** Selects the fault of the attempt that took the plan. Later attempts report only that the plan was already taken. */
const failure = `case when a.state = 'failed' and a.outcome -> 'fault' ->> 'code' in ${staleCodes} then (
  select f.outcome -> 'fault' ->> 'message' from task_attempt f where f.task_uid = a.uid order by ${tellingAttempt("f")} limit 1) end`;

const plan = `case when p.uid is not null then json_build_object('serial', p.serial, 'counts', p.counts, 'findings', p.findings,
  'needsApproval', p.needs_approval, 'expiresAt', p.expires_at, 'approvedBy', p.approved_by, 'approvedAt', p.approved_at, 'discardedBy', p.discarded_by,
  'discardedAt', p.discarded_at, 'comment', p.comment, 'isExpired', p.expires_at <= clock_timestamp()) end`;

/**
 * Selects the number of resources in the state before a deletion. The state version is chosen as in `findStateVersionBefore`. Versions
 * written by older releases lack the number of managed resources, so their total number of resources is used.
 */
const removes = `case when d.type in ${destroyTypes} then (
  select coalesce(v.managed, v.resources) from state_version v where v.entity_uid = t.entity_uid
    and v.version < coalesce((select min(own.version) from state_version own where own.entity_uid = t.entity_uid and own.task_uid = t.uid), 2147483647)
    and v.created_at <= coalesce(t.ended_at, 'infinity') order by v.version desc limit 1) end`;

const runs = `select t.uid, t.project, coalesce(e.environment, s.environment, '') as environment, t.object ->> 'entityKind' as kind,
  t.entity_uid as "entityUid", coalesce(e.name, t.object ->> 'entityName') as name, t.operation_uid as "operationUid",
  (o.object -> 'spec' ->> 'entityGeneration')::integer as generation,
  case when d.type in ${destroyTypes} then 'destroy' else 'apply' end as purpose, ${state} as state,
  case when a.uid is null then ${words("t")} else ${words("a")} end as words, ${failure} as failure, t.created_at as "createdAt",
  case when a.uid is not null then a.ended_at when t.state = 'done' and d.type in ${planTypes} then p.discarded_at else t.ended_at end as "endedAt",
  a.uid as "applyUid", ${plan} as plan, ${removes} as removes
from task_state t join task_demand d on d.id = t.demand
left join plan p on p.uid = t.uid
left join entity e on e.uid = t.entity_uid
left join state s on s.entity_uid = t.entity_uid
left join entity o on o.uid = t.operation_uid and o.kind = 'Operation'
left join lateral (${applied}) a on true
where ${ofProject} and d.type in ${runTypes}`;

/** SQL conditions that every run in a given rare state meets. They avoid a scan of all past runs. */
const narrowed: Readonly<Record<string, string>> = {
  PLANNING: "t.state in ('waiting', 'ready', 'leased')",
  NEEDS_APPROVAL: `p.content is not null and p.needs_approval and p.approved_at is null and p.discarded_at is null
    and p.expires_at > clock_timestamp()`,
};

export async function findRun(database: Database, project: string, uid: string): Promise<RunRow | undefined> {
  const statement = { name: "find-run", text: `${runs} and t.uid = $2`, values: [project, uid] };
  return (await database.query<RunRow>(statement)).rows[0];
}

/** Parameters for a page of runs, newest first. */
export interface RunList {
  readonly project: string;
  /** Environments to include, or undefined for all. */
  readonly environments: readonly string[] | undefined;
  readonly entityUid: string | undefined;
  readonly state: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/** Returns one page of the runs in a project. */
export async function listRuns(database: Database, list: RunList): Promise<RunRow[]> {
  const { project, environments, entityUid, state: wanted, after, limit } = list;
  const values: unknown[] = [project];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [
    ...(environments === undefined ? [] : [`coalesce(e.environment, s.environment, '') = any (${bind(environments)})`]),
    ...(entityUid === undefined ? [] : [`t.entity_uid = ${bind(entityUid)}`]),
    ...(after === undefined ? [] : [`t.uid < ${bind(after)}::uuid`]),
    ...(wanted === undefined ? [] : [narrowed[wanted] ?? "true", `${state} = ${bind(wanted)}`]),
  ];
  const text = `${[runs, ...conditions].join(" and ")} order by t.uid desc limit ${bind(limit)}`;
  return (await database.query<RunRow>({ text, values })).rows;
}

/** Returns the changes in a run's plan and the drift that the run found, as JSON text. Returns undefined if no plan was stored. */
export async function findPlanChanges(database: Database, uid: string): Promise<string | undefined> {
  const statement = {
    name: "find-plan-changes",
    text: "select changes::text as changes from plan where uid = $1",
    values: [uid],
  };
  return (await database.query<{ changes: string }>(statement)).rows[0]?.changes;
}
