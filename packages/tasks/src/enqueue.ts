import type { Database } from "@cloudwright/store";
import { renderPlacement } from "./placement.ts";
import type { TaskInsert } from "./task.ts";

/**
 * Appends tasks to the queues of their entities in the given order, and returns the uids of those whose key was new. Runs in the caller's
 * transaction: call it after writing entities and before touching `due`, and notify the signal after the commit.
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

/** Returns what the reconciler compares about a task. It is stored separately, so that reading it does not parse the whole payload. */
function pickInputs({ payload, placement, payloadVersion }: Omit<TaskInsert, "key">): object {
  const { fingerprint, retries, round, plan } = (payload ?? {}) as Readonly<Record<string, unknown>>;
  return { fingerprint, retries, round, plan, placement, payloadVersion };
}
