import assert from "node:assert/strict";
import fc from "fast-check";
import { cancelTasks } from "../cancel.ts";
import { enqueueTasks } from "../enqueue.ts";
import { finishTask } from "../finish.ts";
import { reapTasks } from "../reap.ts";
import { releaseSlots, reserveSlots } from "../reserve-slots.ts";
import type { TaskOutcome } from "../task.ts";
import type { ModelTask, QueueModel } from "./queue-model.ts";
import { createTask, lastingFault, passingFault, type TestQueue } from "./test-queue.ts";

const entities = Array.from({ length: 4 }, (_, index) => ({
  entityUid: createTask().entityUid,
  project: index < 3 ? "a" : "b",
}));

/** The agent that leases all tasks. */
const agentUid = createTask().uid;

const outcomes = {
  done: { state: "done" },
  failed: lastingFault,
  cancelled: { state: "cancelled" },
  returned: { state: "returned" },
  retry: passingFault,
} as const satisfies Record<string, TaskOutcome>;

type Verdict = keyof typeof outcomes;
type Running = "stop" | "leave";

/** A step that is applied to both the queue and the model. */
export type ModelStep = (queue: TestQueue, model: QueueModel) => Promise<void>;

const anyEntity = fc.nat({ max: entities.length - 1 });
const anyIndex = fc.nat({ max: 20 });
const anyRunning = fc.constantFrom<Running>("stop", "leave");
const anyVerdict = fc.constantFrom(...(Object.keys(outcomes) as Verdict[]));

function steps<Arguments extends unknown[]>(
  weight: number,
  name: string,
  values: { [Index in keyof Arguments]: fc.Arbitrary<Arguments[Index]> },
  act: (queue: TestQueue, model: QueueModel, ...values: Arguments) => Promise<void>,
): { weight: number; arbitrary: fc.Arbitrary<ModelStep> } {
  const toStep = (chosen: Arguments): ModelStep => {
    const step: ModelStep = (queue, model) => act(queue, model, ...chosen);
    // Shown in the report of a failed run.
    return Object.assign(step, { [fc.toStringMethod]: () => `${name}(${JSON.stringify(chosen).slice(1, -1)})` });
  };
  return { weight, arbitrary: fc.tuple<Arguments>(...values).map(toStep) };
}

/** A random step: usually enqueue, lease or end, sometimes a crash, a late report or a cancellation. */
export const anyStep: fc.Arbitrary<ModelStep> = fc.oneof(
  steps(5, "enqueue", [fc.array(anyEntity, { minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 2 })], enqueue),
  steps(5, "lease", [fc.integer({ min: 1, max: 4 }), fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined })], lease),
  steps(1, "reserve", [fc.constantFrom("a", "b"), fc.integer({ min: 0, max: 4 })], reserve),
  steps(5, "end", [anyIndex, anyVerdict], end),
  steps(1, "endLate", [anyIndex], endLate),
  steps(1, "crash", [anyIndex], crash),
  steps(1, "passDelays", [], passDelays),
  steps(2, "cancelTask", [anyIndex, anyRunning], cancelTask),
  steps(1, "cancelEntity", [anyEntity, anyRunning], cancelEntity),
);

async function enqueue(queue: TestQueue, model: QueueModel, chosen: readonly number[], maxAttempts: number): Promise<void> {
  const tasks = chosen.map((entity) => createTask({ ...entities[entity], maxAttempts }));
  assert.equal((await enqueueTasks(queue.pool, tasks)).length, tasks.length);
  tasks.forEach(({ uid, project }, index) => model.enqueue({ uid, entity: chosen[index] ?? 0, project, maxAttempts }));
}

/** The queue decides which tasks are leased. Their count must match the model, and the model must allow each of them to be leased. */
async function lease(queue: TestQueue, model: QueueModel, most: number, quota: number | undefined): Promise<void> {
  const countOf = (tasks: readonly ModelTask[], project: string): number =>
    tasks.filter((task) => task.project === project).length;
  const leftToOthers = (project: string): number => {
    const others = model.listLeased().filter((task) => task.project !== project).length;
    return Math.max(0, (model.reserved.get(project) ?? 0) - others);
  };
  const roomOf = (project: string): number => {
    const held = countOf(model.listLeased(), project);
    const room = Math.min(countOf(model.listLeasable(), project), (quota ?? Infinity) - held, most - leftToOthers(project));
    return Math.max(0, room);
  };
  const expected = Math.min(most, roomOf("a") + roomOf("b"));
  const leased = await queue.lease({ agentUid, lanes: { long: most, short: 0 }, projectQuota: quota });
  assert.equal(leased.length, expected);
  for (const { uid, leaseToken } of leased) model.lease(uid, leaseToken);
}

/** Sets the number of slots that `project` must leave to other projects. */
async function reserve(queue: TestQueue, model: QueueModel, project: string, slots: number): Promise<void> {
  await releaseSlots(queue.pool, { project, lane: "long" });
  model.reserved.delete(project);
  if (slots === 0) return;
  await reserveSlots(queue.pool, { agent_uid: agentUid, lane: "long", project, slots });
  model.reserved.set(project, slots);
}

async function end(queue: TestQueue, model: QueueModel, which: number, verdict: Verdict): Promise<void> {
  const task = choose(model.listLeased(), which);
  if (task === undefined) return;
  assert.equal(await isAccepted(queue, task, outcomes[verdict]), true);
  model.end(task, verdict);
}

async function endLate(queue: TestQueue, model: QueueModel, which: number): Promise<void> {
  const held = model.tasks.filter(({ state, leaseToken }) => state !== "leased" && leaseToken !== "");
  const task = choose(held, which);
  if (task !== undefined) assert.equal(await isAccepted(queue, task, { state: "done" }), false);
}

async function crash(queue: TestQueue, model: QueueModel, which: number): Promise<void> {
  const task = choose(model.listLeased(), which);
  if (task === undefined) return;
  await queue.query("update task_line set leased_until = now() - interval '1 minute' where task_uid = $1", [task.uid]);
  const reaped = await reapTasks({ database: queue.pool, random: () => 0 }, 30);
  assert.deepEqual(
    reaped.map(({ uid }) => uid),
    [task.uid],
  );
  model.end(task, "retry");
}

async function passDelays(queue: TestQueue, model: QueueModel): Promise<void> {
  await queue.query("update task_line set delayed_until = now() where delayed_until is not null");
  // A lease call makes delayed tasks ready, even if it requests no slots.
  await queue.lease({ lanes: { long: 0, short: 0 } });
  for (const task of model.tasks) task.delayed = false;
}

async function cancelTask(queue: TestQueue, model: QueueModel, which: number, running: Running): Promise<void> {
  const task = choose(model.tasks, which);
  if (task === undefined) return;
  await cancelTasks(queue.pool, { uids: [task.uid] }, { reason: "test", running });
  model.cancel([task], running);
}

async function cancelEntity(queue: TestQueue, model: QueueModel, entity: number, running: Running): Promise<void> {
  await cancelTasks(queue.pool, { entityUids: [entities[entity]?.entityUid ?? ""] }, { reason: "test", running });
  model.cancel(
    model.tasks.filter((task) => task.entity === entity),
    running,
  );
}

async function isAccepted(queue: TestQueue, { uid, leaseToken }: ModelTask, outcome: TaskOutcome): Promise<boolean> {
  return (await finishTask({ database: queue.pool, random: () => 0 }, { uid, leaseToken, outcome })).accepted;
}

function choose(tasks: readonly ModelTask[], which: number): ModelTask | undefined {
  return tasks[which % Math.max(1, tasks.length)];
}
