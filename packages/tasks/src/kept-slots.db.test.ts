import { createUid, systemClock } from "@cloudwright/platform";
import { chooseSeed, createRandom } from "@cloudwright/platform/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { requestLeases } from "./lease.ts";
import type { LeasedTask } from "./task.ts";
import { createRequest, openTestQueue, type TestQueue } from "./testing/test-queue.ts";

const seed = chooseSeed();
let queue: TestQueue;
let agentUid: string;

beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(async () => {
  await queue.clear();
  agentUid = createUid(systemClock.now());
});
afterAll(() => queue.close());

async function insertEntity(kind: string, project: string, name: string): Promise<void> {
  await queue.query(
    `insert into entity (uid, kind, project, name, labels, object, resource_version, created_at, updated_at)
      values ($1, $2, $3, $4, '{}', '{}', 1, now(), now())`,
    [createUid(systemClock.now()), kind, project, name],
  );
}

/** Stores projects that can have tasks. */
async function createProjects(...names: string[]): Promise<void> {
  for (const name of names) {
    await insertEntity("Project", "", name);
    await insertEntity("Account", name, "cloud");
  }
}

const enqueue = (project: string, count: number): Promise<unknown> =>
  queue.enqueue(...Array.from({ length: count }, () => ({ project })));

/** Leases tasks in the long lane for an agent with `slots` slots, of which `free` are free. */
async function lease(slots: number, free = slots, projects?: readonly string[]): Promise<LeasedTask[]> {
  return queue.lease({ agentUid, lanes: { long: free, short: 0 }, slots: { long: slots, short: slots }, projects });
}

test("X063 one project never gets the last slot of an agent that serves other projects, so that they do not wait", async () => {
  await createProjects("greedy", "calm");
  await enqueue("greedy", 10);
  expect(await lease(4)).toHaveLength(3);
  expect(await lease(4, 1)).toEqual([]);
  await enqueue("calm", 2);
  const [first] = await lease(4, 1);
  expect(first).toMatchObject({ project: "calm" });
  await queue.end(first!);
  expect(await lease(4, 1)).toMatchObject([{ project: "calm" }]);
});

test("X063 the slot stays free while every agent's poll requests fewer slots than are free", async () => {
  await createProjects("greedy", "calm");
  await enqueue("greedy", 10);
  const [first] = await lease(4);
  await queue.end(first!);
  // The poll started when one slot was free. A second one became free in the meantime.
  expect(await lease(4, 1)).toMatchObject([{ project: "greedy" }]);
  expect(await lease(4, 1)).toEqual([]);
});

test("X063 a project gets all slots of agents with one slot, of agents that serve only this project, and of agents that do not report their slots", async () => {
  await createProjects("greedy", "calm");
  await enqueue("greedy", 9);
  expect(await lease(1)).toHaveLength(1);
  agentUid = createUid(systemClock.now());
  expect(await lease(4, 4, ["greedy"])).toHaveLength(4);
  agentUid = createUid(systemClock.now());
  expect(await queue.lease({ agentUid, lanes: { long: 4, short: 0 }, slots: { long: 0, short: 0 } })).toHaveLength(4);
});

test("X063 a project gets all slots while no other project has an account", async () => {
  await createProjects("greedy");
  await insertEntity("Project", "", "empty");
  await insertEntity("Project", "", "former");
  await insertEntity("Account", "former", "cloud");
  await queue.query("update entity set deleted_at = now() where project = 'former'");
  await enqueue("greedy", 4);
  expect(await lease(4)).toHaveLength(4);
});

test("X063 a lease reports that a slot was kept free, and only then", async () => {
  await createProjects("greedy", "calm");
  const ask = (long: number) =>
    requestLeases(queue.pool, createRequest({ agentUid, lanes: { long, short: 0 }, slots: { long: 3, short: 3 } }));
  await enqueue("greedy", 1);
  expect(await ask(3)).toMatchObject({ tasks: [{}], withheld: false });
  await enqueue("greedy", 2);
  expect(await ask(2)).toMatchObject({ tasks: [{}], withheld: true });
  expect(await ask(1)).toMatchObject({ tasks: [], withheld: true });
});

test(`X063 whatever one project does, another one with a free turn gets a slot at once (seed ${seed})`, async () => {
  const { below: random } = createRandom(seed);
  await createProjects("p0", "p1", "p2");
  const slots = 2 + random(4);
  let running: LeasedTask[] = [];
  const take = async (free: number): Promise<void> => void running.push(...(await lease(slots, free)));
  for (let step = 0; step < 120; step += 1) {
    const act = random(3);
    if (act === 0) await enqueue(`p${random(3)}`, 1 + random(5));
    else if (act === 1 && running.length > 0) {
      const task = running[random(running.length)]!;
      await queue.end(task);
      running = running.filter((one) => one !== task);
    } else if (running.length < slots) await take(1 + random(slots - running.length));
    const counts = Map.groupBy(running, ({ project }) => project);
    for (const [project, tasks] of counts) expect([project, tasks.length < slots]).toEqual([project, true]);
  }
  // All free slots except the last one are used if there is work.
  await enqueue("p0", slots);
  await take(slots - running.length);
  expect(running.length).toBeGreaterThanOrEqual(slots - 1);
});
