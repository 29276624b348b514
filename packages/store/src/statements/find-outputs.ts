import { taskTypesOf } from "@cloudwright/contract";
import type { Database } from "../pool.ts";
import { renderTypeList } from "../task-type-list.ts";

const applies = renderTypeList(taskTypesOf("apply"));

/** Returns the outputs of an entity's last successful run, or undefined if there was none. */
export async function findOutputs(database: Database, entityUid: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const text = `select s.outcome -> 'result' as outputs from task_state s join task_demand d on d.id = s.demand
where s.entity_uid = $1 and s.state = 'done' and d.type in ${applies} order by s.position desc limit 1`;
  const { rows } = await database.query<{ outputs: Readonly<Record<string, unknown>> | null }>({ text, values: [entityUid] });
  return rows[0]?.outputs ?? undefined;
}
