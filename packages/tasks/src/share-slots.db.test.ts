import { createUid, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { cancelTasks } from "./cancel.ts";
import { noteAgent } from "./presence.ts";
import { reapTasks } from "./reap.ts";
import { renewTasks } from "./renew.ts";
import { createSlotSharing, type ShareRules, type SlotSharing } from "./share-slots.ts";
import { openTestQueue, type TestQueue } from "./testing/test-queue.ts";
import type { LeasedTask } from "./task.ts";
import { enforceTimeLimits } from "./time-limits.ts";

let queue: TestQueue;
let agentUid: string;
let nowMs = 0;

beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(async () => {
  await queue.clear();
  await queue.query("truncate task_stop, agent_presence");
  agentUid = await createAgent("system");
  nowMs = 1_000_000;
});
afterAll(() => queue.close());

const rules: ShareRules = { turnSeconds: 600, waitSeconds: 30, projectQuota: undefined, accountBudget: undefined };

/** Stores a live agent that can run every task. */
async function createAgent(project: string, object = "{}"): Promise<string> {
  const uid = createUid(systemClock.now());
  await queue.query(
    `insert into entity (uid, kind, project, name, labels, object, resource_version, created_at, updated_at) values ($1, 'Agent', $2, $3, '{}', $4, 1, now(), now())`,
    [uid, project, `agent-${uid}`, object],
  );
  const report = { labels: {}, types: ["*"], payloadVersions: { min: 1, max: 1 }, version: "1" };
  await noteAgent({ database: queue.openPool(), nowMs: 0 }, uid, report);
  return uid;
}

async function occupy(project: string, count: number, seconds: number): Promise<LeasedTask[]> {
  await queue.enqueue(...Array.from({ length: count }, () => ({ project })));
  const leased = await queue.lease({ agentUid, lanes: { long: count, short: 0 } });
  await queue.query(
    "update task_line set started_at = clock_timestamp() - make_interval(secs => $2) where project = $1 and lease_token is not null",
    [project, seconds],
  );
  return leased;
}

async function interruptAfterWait(sharing: SlotSharing): Promise<string[]> {
  expect(await sharing.interrupt(nowMs)).toEqual([]);
  nowMs += 30_000;
  return sharing.interrupt(nowMs);
}

test("X063 one project cannot occupy all slots forever: a task beyond its share is interrupted and queued again", async () => {
  const hanging = await occupy("greedy", 4, 700);
  await queue.enqueue({ project: "patient" });
  const sharing = createSlotSharing(queue.pool, rules);
  const [stopped, ...more] = await interruptAfterWait(sharing);
  expect(more).toEqual([]);
  const victim = hanging.find(({ uid }) => uid === stopped);
  expect(await renewTasks(queue.pool, [victim!], 60)).toMatchObject([
    { accepted: true, cancelReason: expect.stringContaining("project patient is waiting for its share") },
  ]);
  // While the interrupted task is stopping, no other task is interrupted.
  nowMs += 60_000;
  expect(await sharing.interrupt(nowMs)).toEqual([]);
  expect(await queue.end(victim!, { state: "cancelled" })).toMatchObject({ accepted: true, state: "ready" });
  expect(await queue.lease({ agentUid, lanes: { long: 1, short: 0 } })).toMatchObject([{ project: "patient" }]);
  expect(await queue.lease({ agentUid, lanes: { long: 1, short: 0 } })).toMatchObject([{ uid: stopped, attempt: 1 }]);
});

test("X063 no task is interrupted before its turn is over, or for a project that already has its share", async () => {
  await occupy("greedy", 3, 100);
  await queue.enqueue({ project: "patient" });
  expect(await interruptAfterWait(createSlotSharing(queue.pool, rules))).toEqual([]);
  await queue.query("update task_line set started_at = started_at - interval '1 hour' where lease_token is not null");
  await queue.lease({ agentUid, lanes: { long: 1, short: 0 } });
  await queue.enqueue({ project: "patient" });
  await occupy("third", 1, 3600);
  expect(await interruptAfterWait(createSlotSharing(queue.pool, rules))).toEqual([]);
});

test("X063 no task is interrupted for a project that none of the agents with these slots serves, or that is at its own limit", async () => {
  agentUid = await createAgent("greedy");
  await occupy("greedy", 4, 3600);
  await queue.enqueue({ project: "patient" });
  expect(await interruptAfterWait(createSlotSharing(queue.pool, rules))).toEqual([]);
  const limited = createSlotSharing(queue.pool, { ...rules, projectQuota: 0 });
  expect(await interruptAfterWait(limited)).toEqual([]);
});

test("X063 no task is interrupted on a shared agent that is reserved for other projects", async () => {
  agentUid = await createAgent("system", JSON.stringify({ spec: { projects: ["greedy", "victim"] } }));
  await occupy("greedy", 4, 3600);
  await queue.enqueue({ project: "hostile" });
  expect(await interruptAfterWait(createSlotSharing(queue.pool, rules))).toEqual([]);
});

test("X063 a task that a user cancels while it is being interrupted stays cancelled", async () => {
  const hanging = await occupy("greedy", 2, 700);
  await queue.enqueue({ project: "patient" });
  const [stopped = ""] = await interruptAfterWait(createSlotSharing(queue.pool, rules));
  await cancelTasks(queue.pool, { uids: [stopped] }, { reason: "not needed", running: "stop" });
  const victim = hanging.find(({ uid }) => uid === stopped);
  expect(await queue.end(victim!, { state: "cancelled" })).toMatchObject({ state: "cancelled" });
});

test("X063 a project gets its share although no agent can run its oldest task", async () => {
  const hanging = await occupy("greedy", 4, 700);
  await queue.enqueue({ project: "patient", placement: { site: "nowhere" } }, { project: "patient" });
  const [stopped] = await interruptAfterWait(createSlotSharing(queue.pool, rules));
  expect(hanging.map(({ uid }) => uid)).toContain(stopped);
});

test("X063 a project gets its share although the account of its oldest task is at its limit", async () => {
  const accountUid = createUid(systemClock.now());
  await queue.enqueue({ project: "patient", accountUid });
  await queue.lease({ agentUid, lanes: { long: 1, short: 0 } });
  const hanging = await occupy("greedy", 6, 700);
  await queue.enqueue({ project: "patient", accountUid });
  const limited = createSlotSharing(queue.pool, { ...rules, accountBudget: 1 });
  expect(await interruptAfterWait(limited)).toEqual([]);
  await queue.enqueue({ project: "patient" });
  const [stopped] = await interruptAfterWait(limited);
  expect(hanging.map(({ uid }) => uid)).toContain(stopped);
});

test("X063 a task that does not stop blocks sharing for five minutes at most, and then goes back to the queue without its lease", async () => {
  const hanging = await occupy("greedy", 4, 700);
  await queue.enqueue({ project: "patient" });
  const sharing = createSlotSharing(queue.pool, rules);
  const [first] = await interruptAfterWait(sharing);
  expect(await sharing.interrupt((nowMs += 60_000))).toEqual([]);
  const [second, ...more] = await sharing.interrupt((nowMs += 300_000));
  expect([more, hanging.some(({ uid }) => uid === second), second === first]).toEqual([[], true, false]);
  await queue.query("update task_stop set at = at - interval '301 seconds'");
  const limits = { byLane: { long: 7200, short: 60 }, byType: {} };
  expect(await enforceTimeLimits(queue.pool, limits)).toEqual({ cancelled: 0, fenced: 2 });
  const victim = hanging.find(({ uid }) => uid === first)!;
  expect(await renewTasks(queue.pool, [victim], 60)).toEqual([{ uid: first, accepted: false }]);
  // A late report by the agent must not cancel the user's task.
  const late = hanging.find(({ uid }) => uid === second)!;
  expect(await queue.end(late, { state: "cancelled" })).toMatchObject({ state: "ready" });
  await queue.query(
    "update task_line set leased_until = clock_timestamp() - interval '11 seconds', max_attempts = 1 where task_uid = $1",
    [first],
  );
  expect(await reapTasks({ database: queue.pool, random: () => 0 }, 10)).toMatchObject([{ uid: first, state: "ready" }]);
  expect(await queue.lease({ agentUid, lanes: { long: 1, short: 0 } })).toMatchObject([{ project: "patient" }]);
  expect(await queue.lease({ agentUid, lanes: { long: 2, short: 0 } })).toMatchObject([{ attempt: 1 }, { attempt: 1 }]);
});

test("X063 a cancelled task that does not stop does not block other projects", async () => {
  const [cancelled, ...others] = await occupy("greedy", 4, 700);
  await cancelTasks(queue.pool, { uids: [cancelled!.uid] }, { reason: "not needed", running: "stop" });
  await queue.enqueue({ project: "patient" });
  const sharing = createSlotSharing(queue.pool, rules);
  expect(await interruptAfterWait(sharing)).toEqual([]);
  const [stopped] = await sharing.interrupt((nowMs += 300_000));
  expect(others.map(({ uid }) => uid)).toContain(stopped);
});
