import { isUid } from "@cloudwright/platform";
import type { Database } from "@cloudwright/store";
import { defaultRetryPolicy, findRetryAfter, judgeOutcome, planDelays, type RetryPolicy } from "./retry.ts";
import type { TaskOutcome, TaskState } from "./task.ts";

/** Reports the end of an attempt. Only valid with the token of the current lease. */
export interface TaskEnd {
  readonly uid: string;
  readonly leaseToken: string;
  readonly outcome: TaskOutcome;
}

/** Whether the report was accepted. A report for a lease that is no longer held is rejected and changes nothing. */
export type FinishedTask =
  | { readonly uid: string; readonly accepted: false }
  | { readonly uid: string; readonly accepted: true; readonly entityUid: string; readonly state: TaskState };

export interface FinishDeps {
  readonly database: Database;
  /** Returns a random number between 0 and 1. */
  readonly random: () => number;
  readonly retryPolicy?: RetryPolicy;
}

/** Ends attempts, wakes their entities and makes the next task of each entity ready. Notify the signal after the commit. */
export async function finishTasks(
  deps: FinishDeps,
  ends: readonly TaskEnd[],
  expiredBySeconds?: number,
): Promise<FinishedTask[]> {
  const asked = ends.filter(({ uid, leaseToken }) => isUid(uid) && isUid(leaseToken));
  const values = [
    asked.map(({ uid }) => uid),
    asked.map(({ leaseToken }) => leaseToken),
    asked.map(({ outcome }) => judgeOutcome(outcome)),
    asked.map(({ outcome }) => JSON.stringify(outcome)),
    asked.map(({ outcome }) => findRetryAfter(outcome)),
    planDelays(deps.retryPolicy ?? defaultRetryPolicy, deps.random),
    expiredBySeconds ?? null,
  ];
  const text =
    "select unnest(entities) as entity_uid, unnest(states) as state, unnest(places) as place from finish_tasks($1, $2, $3, $4, $5, $6, $7)";
  const { rows } = await deps.database.query<{ entity_uid: string; state: TaskState; place: number }>({
    name: "finish-tasks",
    text,
    values,
  });
  const accepted = new Map(rows.map((row) => [asked[row.place - 1], row]));
  return ends.map((end) => {
    const row = accepted.get(end);
    if (row === undefined) return { uid: end.uid, accepted: false };
    return { uid: end.uid, accepted: true, entityUid: row.entity_uid, state: row.state };
  });
}

export async function finishTask(deps: FinishDeps, end: TaskEnd): Promise<FinishedTask> {
  const [finished] = await finishTasks(deps, [end]);
  return finished as FinishedTask;
}
