import type { Database } from "@cloudwright/store";
import { renderPlacement } from "./placement.ts";
import type { TaskInsert } from "./task.ts";

/**
 * Adds tasks to the lines of their entities, in the order given, and answers the uids of those whose key was new. Part of the caller's
 * transaction: call it after writing entities and before touching `due`, and notify the signal once it is committed.
 */
export async function enqueueTasks(database: Database, tasks: readonly TaskInsert[]): Promise<string[]> {
  if (tasks.length === 0) return [];
  const text = "select enqueue_tasks as uid from enqueue_tasks($1)";
  const values = [JSON.stringify(tasks.map(toRow))];
  const { rows } = await database.query<{ uid: string }>({ name: "enqueue-tasks", text, values });
  return rows.map(({ uid }) => uid);
}

function toRow({ key, ...object }: TaskInsert): Record<string, unknown> {
  return {
    uid: object.uid,
    key,
    project: object.project,
    entity_uid: object.entityUid,
    operation_uid: object.operationUid,
    account_uid: object.accountUid,
    lane: object.lane,
    placement: renderPlacement(object.placement),
    type: object.type,
    payload_version: object.payloadVersion,
    priority: object.priority,
    max_attempts: object.maxAttempts,
    object,
    inputs: pickInputs(object),
  };
}

/** What the reconciler compares about a task. It is kept apart, so that reading it does not parse the whole payload. */
function pickInputs({ payload, placement, payloadVersion }: Omit<TaskInsert, "key">): object {
  const { fingerprint, retries, round, plan } = (payload ?? {}) as Readonly<Record<string, unknown>>;
  return { fingerprint, retries, round, plan, placement, payloadVersion };
}
