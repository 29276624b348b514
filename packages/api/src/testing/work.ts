import type { EntityJson } from "@cloudwright/contract";
import { createUid } from "@cloudwright/platform";
import { enqueueTasks } from "@cloudwright/tasks";
import type { TestApi } from "./test-api.ts";
import type { TestAnswer } from "./http-call.ts";

/** Returns the operation named in the response's Operation-Location header. */
export async function readOperation(api: TestApi, { headers }: TestAnswer): Promise<EntityJson> {
  return (await api.must("GET", String(headers["operation-location"]))).body;
}

/** Sets an operation's state, as the reconciler would. */
export async function setOperationState(api: TestApi, uid: string, state: string): Promise<void> {
  const text = `update entity set resource_version = $2::bigint, object = jsonb_set(jsonb_set(object::jsonb, '{status,state}', to_jsonb($3::text)),
    '{metadata,resourceVersion}', to_jsonb($2::bigint::text))::json where uid = $1 and kind = 'Operation'`;
  await api.pool.query({ text, values: [uid, await api.deps.versions.next(), state] });
}

/** Creates a task for an entity, as the reconciler would. Returns the task's uid. */
export async function enqueueTask(api: TestApi, entity: EntityJson, operationUid: string | null = null): Promise<string> {
  const { uid: entityUid = "", name: entityName = "", project = "" } = entity.metadata;
  const uid = createUid(api.deps.clock.now());
  const about = { entityUid, entityName, entityKind: "Cluster", project, operationUid, accountUid: null };
  const how = { type: "cluster.apply", lane: "long", placement: {}, priority: 0, maxAttempts: 3 } as const;
  await enqueueTasks(api.pool, [{ uid, key: uid, ...about, ...how, payload: {}, payloadVersion: 1 }]);
  return uid;
}

/** Marks a task as running, as a lease by an agent would. */
export async function markLeased(api: TestApi, uid: string): Promise<void> {
  const text = "update task_line set lease_token = gen_random_uuid(), ready = false where task_uid = $1";
  await api.pool.query({ text, values: [uid] });
}

/** Returns a task's state and the reason of its cancellation. */
export async function readTask(api: TestApi, uid: string): Promise<object | undefined> {
  const text = "select state, cancel_reason from task_state where uid = $1";
  return (await api.pool.query<{ state: string; cancel_reason: string }>({ text, values: [uid] })).rows[0];
}

/** Returns the number of pending wakes, keyed by entity uid. */
export async function readWakes(api: TestApi): Promise<Map<string, number>> {
  const text = "select entity_uid as uid, wakes::int as wakes from due";
  const { rows } = await api.pool.query<{ uid: string; wakes: number }>({ text, values: [] });
  return new Map(rows.map(({ uid, wakes }) => [uid, wakes]));
}

/** Deletes all wakes, as if the reconciler had processed them. */
export async function clearWakes(api: TestApi): Promise<void> {
  await api.pool.query({ text: "delete from due", values: [] });
}
