import type { Database } from "@cloudwright/store";
import { renderPlacement } from "./placement.ts";
import type { TaskInsert } from "./task.ts";

/**
 * Appends tasks to the queues of their entities. Returns the uids of the tasks whose key is new. Runs in the caller's transaction. Call it
 * after writing entities and before writing to `due`. Notify the signal after the commit.
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

/**
 * Returns the inputs that the reconciler compares. They are stored separately, so that the reconciler does not have to parse the whole
 * payload.
 */
function pickInputs({ payload, placement, payloadVersion }: Omit<TaskInsert, "key">): object {
  const { fingerprint, retries, round, plan } = (payload ?? {}) as Readonly<Record<string, unknown>>;
  return { fingerprint, retries, round, plan, placement, payloadVersion };
}
