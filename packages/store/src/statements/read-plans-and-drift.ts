import type { Json } from "@cloudwright/platform";
import type { Database } from "../pool.ts";
import { epochMs } from "./epoch-ms.ts";
import { forgottenOf, type ForgottenResource } from "./forgotten-resources.ts";
import { planIsCurrent, tellingAttempt } from "./judge-plans.ts";

/** An entity, and optionally the plan and the task to read for it. */
export interface AsideKey {
  readonly entityUid: string;
  readonly planUid: string | null;
  /** Task whose previous attempt is read. The attempt that took the plan is preferred to later ones. */
  readonly taskUid: string | null;
  /** Whether the entity is being deleted. Only then are its forgotten resources read. */
  readonly isDeleted?: boolean;
}

/** A saved plan without its list of changes. Its uid is that of the task that made it. */
export interface PlanStatusRow {
  readonly uid: string;
  readonly needsApproval: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly findings: readonly { readonly severity: string; readonly message: string; readonly path: string }[];
  readonly expiresAtMs: number;
  readonly approvedBy: string | null;
  readonly discardedBy: string | null;
  readonly takenBy: string | null;
  readonly isCurrent: boolean;
}

export interface DriftStatusRow {
  readonly uid: string;
  /** Uid of the check or apply that opened the report. */
  readonly taskUid?: string;
  /** True if an apply that kept the changes opened the report, false if a check did. */
  readonly isKept?: boolean;
  readonly foundAtMs: number;
  readonly endedAtMs: number | null;
  readonly endedAs?: string | null;
  readonly items: readonly Json[];
  readonly ignored: number;
}

/** An entity's plan, the outcome of a previous attempt of its task, its newest drift report and its forgotten resources. */
export interface AsideRow<Outcome> {
  readonly entityUid: string;
  readonly plan: PlanStatusRow | null;
  readonly formerOutcome: Outcome | null;
  readonly drift: DriftStatusRow | null;
  /** Null if there are none, or if they were not requested. */
  readonly forgotten: readonly ForgottenResource[] | null;
}

const text = `select g.entity as "entityUid", (
    select json_build_object('uid', p.uid, 'needsApproval', p.needs_approval, 'counts', p.counts, 'findings', p.findings,
      'expiresAtMs', ${epochMs("p.expires_at")}, 'approvedBy', p.approved_by, 'discardedBy', p.discarded_by, 'takenBy', p.taken_by,
      'isCurrent', ${planIsCurrent},
      'drift', case when p.counts ->> 'drifted' <> '0' then p.changes -> 'drift' end)
    from plan p where p.uid = g.plan) as plan,
  (select a.outcome from task_attempt a left join plan p on p.uid = g.plan where a.task_uid = g.broken order by ${tellingAttempt("a")} limit 1) as "formerOutcome",
  (select json_build_object('uid', r.uid, 'taskUid', r.task_uid, 'isKept', exists(select from plan k where k.entity_uid = r.entity_uid and k.taken_by = r.task_uid), 'foundAtMs', ${epochMs("r.found_at")}, 'endedAtMs', ${epochMs("r.ended_at")}, 'endedAs', r.ended_as, 'items', r.items, 'ignored', r.ignored)
    from drift r where r.entity_uid = g.entity order by r.found_at desc limit 1) as drift,
  case when g.deleted then ${forgottenOf("g.entity")} end as forgotten
from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::boolean[]) as g (entity, plan, broken, deleted)`;

/** Reads plans, previous outcomes and drift reports of several entities in one statement. */
export async function readPlansAndDrift<Outcome>(database: Database, keys: readonly AsideKey[]): Promise<AsideRow<Outcome>[]> {
  const values = [
    keys.map((key) => key.entityUid),
    keys.map((key) => key.planUid),
    keys.map((key) => key.taskUid),
    keys.map((key) => key.isDeleted === true),
  ];
  return (await database.query<AsideRow<Outcome>>({ name: "read-plans-and-drift", text, values })).rows;
}
