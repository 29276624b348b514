import type { Database } from "@cloudwright/store";
import type { TaskOutcome, TaskState } from "./task.ts";

/** How far the task of certain inputs is. */
export interface KeyedTask {
  readonly key: string;
  readonly uid: string;
  readonly state: TaskState;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly cancelReason: string;
  /** Of the last attempt that ended the task. */
  readonly outcome: TaskOutcome | null;
  /** What the agent last said of it. */
  readonly progress: Readonly<Record<string, unknown>> | null;
}

/** The tasks that were ever enqueued for these inputs; inputs that were not are left out. */
export async function findTasksByKey(database: Database, keys: readonly string[]): Promise<KeyedTask[]> {
  const text = `select key, uid, state, attempt, max_attempts as "maxAttempts", cancel_reason as "cancelReason", outcome, progress
    from task_state where key = any ($1)`;
  return (await database.query<KeyedTask>({ name: "find-tasks-by-key", text, values: [keys] })).rows;
}
