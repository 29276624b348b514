import { cloudNames } from "@cloudwright/contract";
import { createUid, systemClock } from "@cloudwright/platform";
import type { Pool } from "@cloudwright/store";
import {
  enqueueTasks,
  finishTasks,
  finishTogether,
  leaseTasks,
  type FinishedTask,
  type LeasedTask,
  type LeaseRequest,
  type TaskInsert,
} from "@cloudwright/tasks";
import type { TakeWork } from "./task-clients.ts";

const projects = 8;
const accountsPerProject = 2;
const clouds = cloudNames.slice(0, 3);

const accounts = Array.from({ length: projects * accountsPerProject }, () => createUid(systemClock.now()));

/** As large as the payload of a typical cluster task. */
export const payload = {
  spec: { region: "eu-west-1", version: "1.34", pools: ["a", "b"].map((name) => ({ name, size: 3, machine: "m5.large" })) },
  credential: { kind: "reference", name: "main" },
  text: "x".repeat(300),
};

/** Enqueues tasks, spread evenly over entities in several projects, accounts and placements. */
export async function fillBacklog(pool: Pool, entities: readonly string[], count: number): Promise<void> {
  const chunk = 1000;
  for (let from = 0; from < count; from += chunk) {
    const tasks = Array.from({ length: Math.min(chunk, count - from) }, (_, index) => createTask(entities, from + index));
    await enqueueTasks(pool, tasks);
  }
  // Cleans up the tables and updates their statistics, as autovacuum does in production.
  await pool.query({ text: "vacuum (analyze) task, task_line, due", values: [] });
}

function createTask(entities: readonly string[], nth: number): TaskInsert {
  const entity = nth % entities.length;
  const project = entity % projects;
  const account = Math.floor(entity / projects) % accountsPerProject;
  const uid = createUid(systemClock.now());
  return {
    uid,
    key: uid,
    project: `p${project}`,
    entityUid: entities[entity] ?? "",
    entityKind: "Cluster",
    entityName: `c${entity}`,
    operationUid: createUid(systemClock.now()),
    accountUid: accounts[project * accountsPerProject + account] ?? null,
    type: "cluster.apply",
    lane: "long",
    placement: { cloud: clouds[nth % clouds.length] ?? "" },
    priority: entity % 2,
    payload,
    payloadVersion: 1,
    maxAttempts: 5,
  };
}

/** Returns an agent's request for up to `batch` tasks per lane. Quota and budget limits are checked, but are too high to be reached. */
export function createLeaseRequest(batch: number): LeaseRequest {
  return {
    agentUid: createUid(systemClock.now()),
    labels: { cloud: clouds },
    types: ["cluster.apply", "cluster.destroy"],
    payloadVersions: { min: 1, max: 2 },
    lanes: { long: batch, short: batch },
    slots: { long: batch, short: batch },
    projects: undefined,
    leaseSeconds: 60,
    projectQuota: 1000,
    accountBudget: 1000,
  };
}

/** Creates a client that leases tasks and reports each of them as done, in the same way as the API does for an agent. */
export function createTaskClient(pool: Pool, batch: number): TakeWork {
  const request = createLeaseRequest(batch);
  const { agentUid } = request;
  return async () => {
    const leased = await leaseTasks(pool, request);
    const ends = leased.map(({ uid, leaseToken }) => ({ uid, leaseToken, agentUid, outcome: done, lines: [] }));
    checkAccepted(await Promise.all(ends.map((end) => finishTogether(pool, end))));
    return leased.length;
  };
}

const done = { state: "done" } as const;

/** Returns leased tasks to the queue. */
export async function handBackTasks(pool: Pool, leased: readonly LeasedTask[]): Promise<void> {
  const ends = leased.map(({ uid, leaseToken }) => ({ uid, leaseToken, outcome: { state: "returned" } as const }));
  checkAccepted(await finishTasks({ database: pool, random: () => 0 }, ends));
}

function checkAccepted(finished: readonly FinishedTask[]): void {
  if (finished.some(({ accepted }) => !accepted)) throw new Error("a lease was lost");
}
