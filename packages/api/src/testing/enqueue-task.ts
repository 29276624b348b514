import { createUid, systemClock } from "@cloudwright/platform";
import { enqueueTasks, type TaskInsert } from "@cloudwright/tasks";
import type { TestApi } from "./test-api.ts";

/** Enqueues a task that any agent can run, by default with a new entity uid, and notifies waiting agents. */
export async function enqueueTask(api: Pick<TestApi, "pool" | "deps">, part: Partial<TaskInsert> = {}): Promise<TaskInsert> {
  const uid = createUid(systemClock.now());
  const task: TaskInsert = {
    uid,
    key: uid,
    project: "default",
    entityUid: createUid(systemClock.now()),
    entityKind: "Network",
    entityName: "blue",
    operationUid: null,
    accountUid: null,
    type: "network.apply",
    lane: "long",
    placement: { cloud: "aws" },
    priority: 0,
    payload: { size: 3 },
    payloadVersion: 1,
    maxAttempts: 3,
    ...part,
  };
  await enqueueTasks(api.pool, [task]);
  api.deps.taskSignal.notify();
  return task;
}
