import { isUid } from "@cloudwright/platform";
import { retryCollisions, type Database } from "@cloudwright/store";
import { defaultRetryPolicy, findRetryAfter, judgeOutcome, planDelays, type RetryPolicy } from "./retry.ts";
import type { TaskOutcome, TaskState } from "./task.ts";

/** A report that an attempt has ended. Valid only with the token of the current lease. */
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
  const asked = listReadable(ends);
  const values = [...renderEnds(deps, asked), expiredBySeconds ?? null];
  const text =
    "select unnest(entities) as entity_uid, unnest(states) as state, unnest(places) as place from finish_tasks($1, $2, $3, $4, $5, $6, $7)";
  const { rows } = await retryCollisions(() => deps.database.query<FinishedRow>({ name: "finish-tasks", text, values }));
  return describeFinished(ends, asked, rows);
}

export async function finishTask(deps: FinishDeps, end: TaskEnd): Promise<FinishedTask> {
  const [finished] = await finishTasks(deps, [end]);
  return finished as FinishedTask;
}

/** A row that `finish_tasks` returned. `place` is the position of the report in the input, counted from 1. */
export interface FinishedRow {
  readonly entity_uid: string;
  readonly state: TaskState;
  readonly place: number;
}

/** Removes reports with malformed uids, which cannot belong to a task. */
export function listReadable<End extends TaskEnd>(ends: readonly End[]): End[] {
  return ends.filter(({ uid, leaseToken }) => isUid(uid) && isUid(leaseToken));
}

/** Renders the first six arguments of `finish_tasks`. */
export function renderEnds({ random, retryPolicy }: Omit<FinishDeps, "database">, ends: readonly TaskEnd[]): unknown[] {
  return [
    ends.map(({ uid }) => uid),
    ends.map(({ leaseToken }) => leaseToken),
    ends.map(({ outcome }) => judgeOutcome(outcome)),
    ends.map(({ outcome }) => JSON.stringify(outcome)),
    ends.map(({ outcome }) => findRetryAfter(outcome)),
    planDelays(retryPolicy ?? defaultRetryPolicy, random),
  ];
}

/** Returns the result of each report, in the order of `ends`. `asked` contains the reports that were sent to the database. */
export function describeFinished(
  ends: readonly TaskEnd[],
  asked: readonly TaskEnd[],
  rows: readonly FinishedRow[],
): FinishedTask[] {
  const accepted = new Map(rows.map((row) => [asked[row.place - 1], row]));
  return ends.map((end) => {
    const row = accepted.get(end);
    if (row === undefined) return { uid: end.uid, accepted: false };
    return { uid: end.uid, accepted: true, entityUid: row.entity_uid, state: row.state };
  });
}
