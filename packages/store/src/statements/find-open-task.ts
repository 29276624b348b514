import type { Database } from "../pool.ts";

/** A task that has not ended. */
export interface OpenTask {
  readonly uid: string;
  readonly type: string;
  readonly state: "waiting" | "ready" | "leased";
  readonly operationUid: string | null;
}

/** Returns the entity's oldest task that has not ended, or undefined if all tasks have ended. */
export async function findOpenTask(database: Database, entityUid: string): Promise<OpenTask | undefined> {
  const text = `select s.uid, d.type, s.state, s.operation_uid as "operationUid"
from task_state s join task_demand d on d.id = s.demand
where s.entity_uid = $1 and s.state in ('waiting', 'ready', 'leased') order by s.position limit 1`;
  // This is not a prepared statement, because PostgreSQL would reuse a plan made for an empty task table and later scan the whole table.
  return (await database.query<OpenTask>({ text, values: [entityUid] })).rows[0];
}
