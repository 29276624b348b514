import { endTask, seedTask } from "./seed-run.ts";
import type { TestApi } from "./test-api.ts";

/** Makes an instance look built: stores the outputs of an apply, and sets the address in the instance's status. */
export async function seedBuiltInstance(api: TestApi, uid: string): Promise<void> {
  const task = await seedTask(api, uid, { type: "instance.apply" });
  await endTask(api, task, "done", { state: "done", result: { instance_id: "i-1" } });
  const text = `update entity set object = jsonb_set(object::jsonb, '{status,privateAddress}', '"10.0.0.4"')::json where uid = $1`;
  await api.pool.query({ text, values: [uid] });
}

/** Ends all open tasks that read an instance's log, as an agent would. */
export async function endConsoleTasks(api: TestApi): Promise<void> {
  const text = `select s.uid from task_state s join task_demand d on d.id = s.demand
    where d.type = 'instance.console' and s.state in ('waiting', 'ready')`;
  const { rows } = await api.pool.query<{ uid: string }>({ text, values: [] });
  for (const { uid } of rows) await endTask(api, uid, "done", { state: "done", result: { text: "booted" } });
}
