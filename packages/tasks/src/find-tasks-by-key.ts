import type { Database } from "@cloudwright/store";
import type { TaskOutcome, TaskState } from "./task.ts";

/** The progress and outcome of a task, found by its key. */
export interface KeyedTask {
  readonly key: string;
  readonly uid: string;
  readonly state: TaskState;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly cancelReason: string;
  /** The outcome of the last attempt, or null while the task is open. */
  readonly outcome: TaskOutcome | null;
  /** The last progress that the agent reported. */
  readonly progress: Readonly<Record<string, unknown>> | null;
}

/** Returns the tasks with these keys, including finished ones. Keys without a task are omitted. */
export async function findTasksByKey(database: Database, keys: readonly string[]): Promise<KeyedTask[]> {
  const text = `select key, uid, state, attempt, max_attempts as "maxAttempts", cancel_reason as "cancelReason", outcome, progress
    from task_state where key = any ($1)`;
  return (await database.query<KeyedTask>({ name: "find-tasks-by-key", text, values: [keys] })).rows;
}
