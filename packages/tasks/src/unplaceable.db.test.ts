import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { AgentAbility } from "./match-agent.ts";
import { createTask, openTestQueue, type TestQueue } from "./testing/test-queue.ts";
import { listUnplaceable } from "./unplaceable.ts";

let queue: TestQueue;

beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(() => queue.clear());
afterAll(() => queue.close());

const agent = (part: Partial<AgentAbility>): AgentAbility => ({
  labels: {},
  types: "*",
  payloadVersions: { min: 1, max: 1 },
  ...part,
});
const nothing = { labels: {}, type: undefined, payloadVersion: undefined };

test("M043 a task that no agent can take is listed with the unmet requirements of the closest agent", async () => {
  const [task] = await queue.enqueue({ placement: { cloud: "aws", region: "eu-west-1" } }, {});
  const agents = [agent({ labels: { cloud: "gcp" } }), agent({ labels: { cloud: "aws", region: "us-east-1" } })];
  expect(await listUnplaceable(queue.pool, agents)).toEqual([
    { uid: task?.uid, project: "default", entityUid: task?.entityUid, missing: { ...nothing, labels: { region: "eu-west-1" } } },
  ]);
  expect(await listUnplaceable(queue.pool, [...agents, agent({ labels: { cloud: "aws", region: "*" } })])).toEqual([]);
});

test("M043 a missing handler and an unsupported payload version are listed too", async () => {
  await queue.enqueue({ type: "network.apply" }, { payloadVersion: 2 });
  const missing = (await listUnplaceable(queue.pool, [agent({ types: ["cluster.apply"] })])).map((task) => task.missing);
  expect(missing).toEqual([
    { ...nothing, type: "network.apply" },
    { ...nothing, payloadVersion: 2 },
  ]);
});

test("M043 without any agents, every ready task is listed with all of its requirements", async () => {
  const { entityUid } = createTask();
  await queue.enqueue({ entityUid, placement: { cloud: "aws" } }, { entityUid });
  expect(await listUnplaceable(queue.pool, [])).toMatchObject([
    { entityUid, missing: { labels: { cloud: "aws" }, type: "cluster.apply", payloadVersion: 1 } },
  ]);
});

test("M043 leased tasks are ignored", async () => {
  await queue.enqueue({});
  await queue.leaseOne();
  expect(await listUnplaceable(queue.pool, [])).toEqual([]);
});
