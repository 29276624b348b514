import { taskTypesOf } from "@cloudwright/contract";
import type { Database } from "../pool.ts";
import { renderTypeList } from "../task-type-list.ts";
import type { DriftItemRow } from "./drifts.ts";

/** Facts about the drift that a plan found. */
export interface DriftContext {
  /** Verb of the operation that the planning task belongs to. */
  readonly verb: string | null;
  /** Items of the entity's open drift report. */
  readonly reported: readonly DriftItemRow[] | null;
  /** Changes in plans whose apply started after the last successful apply but did not succeed. */
  readonly unfinished: readonly (readonly unknown[])[] | null;
}

const mostPlans = 10;
const text = `select o.object -> 'spec' ->> 'verb' as verb,
  (select d.items from drift d where d.entity_uid = t.entity_uid and d.ended_at is null) as reported,
  (select json_agg(u.changes) from (
    select p.changes -> 'changes' as changes from plan p left join task a on a.uid = p.taken_by
    where p.entity_uid = t.entity_uid and p.uid <> t.uid and p.taken_at is not null and a.ended is distinct from 'done'
      and p.created_at > coalesce((select max(s.ended_at) from task_state s join task_demand d on d.id = s.demand
        where s.entity_uid = t.entity_uid and s.state = 'done' and d.type in ${renderTypeList(taskTypesOf("apply"))}), '-infinity')
    order by p.created_at desc limit ${mostPlans}) u) as unfinished
from task t left join entity o on o.uid = t.operation_uid and o.kind = 'Operation' where t.uid = $1`;

/**
 * Returns facts about the drift that a planning task found: the operation that requested the plan, the reported drift, and interrupted
 * changes.
 */
export async function findDriftContext(database: Database, taskUid: string): Promise<DriftContext | undefined> {
  return (await database.query<DriftContext>({ name: "find-drift-context", text, values: [taskUid] })).rows[0];
}
