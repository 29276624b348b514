import { createUid, systemClock } from "@cloudwright/platform";
import { chooseSeed, createRandom } from "@cloudwright/platform/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { findLeaseTurns } from "./lease-turns.ts";
import { requestLeases } from "./lease.ts";
import { noteAgent } from "./presence.ts";
import { reserveSlots } from "./reserve-slots.ts";
import { createSlotSharing, type ShareRules } from "./share-slots.ts";
import type { LeasedTask } from "./task.ts";
import { createRequest, openTestQueue, type TestQueue } from "./testing/test-queue.ts";

const seed = chooseSeed();
const rules: ShareRules = { turnSeconds: 600, waitSeconds: 30, projectQuota: undefined, accountBudget: undefined };
let queue: TestQueue;
let agentUid: string;

beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(async () => {
  await queue.clear();
  await queue.query("truncate task_stop, agent_presence");
  agentUid = await createAgent();
});
afterAll(() => queue.close());

async function createAgent(): Promise<string> {
  const uid = createUid(systemClock.now());
  await queue.query(
    `insert into entity (uid, kind, project, name, labels, object, resource_version, created_at, updated_at) values ($1, 'Agent', 'system', $2, '{}', '{}', 1, now(), now())`,
    [uid, `agent-${uid}`],
  );
  const report = { labels: {}, types: ["*"], payloadVersions: { min: 1, max: 1 }, version: "1" };
  await noteAgent({ database: queue.openPool(), nowMs: 0 }, uid, report);
  return uid;
}

/** Simulates the passage of time by moving all stored times into the past. */
async function passSeconds(seconds: number): Promise<void> {
  await queue.query("update task_line set started_at = started_at - make_interval(secs => $1)", [seconds]);
  await queue.query("update slot_reservation set used_at = used_at - make_interval(secs => $1)", [seconds]);
  await queue.query("update task_stop set at = at - make_interval(secs => $1)", [seconds]);
}

const leaseLong = (long: number): Promise<LeasedTask[]> => queue.lease({ agentUid, lanes: { long, short: 0 } });

/** Interrupts one of the hanging tasks of project `greedy` for project `calm`. Returns the task of `calm` that gets the freed slot. */
async function interruptForCalm(slots: number): Promise<LeasedTask> {
  await queue.enqueue(...Array.from({ length: slots }, () => ({ project: "greedy" })));
  const hanging = await leaseLong(slots);
  await queue.enqueue({ project: "calm" });
  await passSeconds(700);
  const sharing = createSlotSharing(queue.pool, rules);
  await sharing.interrupt(0);
  const [stopped] = await sharing.interrupt(30_000);
  const victim = hanging.find(({ uid }) => uid === stopped);
  expect(await queue.end(victim!, { state: "cancelled" })).toMatchObject({ state: "ready" });
  const [task] = await leaseLong(1);
  expect(task).toMatchObject({ project: "calm" });
  return task!;
}

test("X063 an interrupted project does not take the slot back between two tasks of the other project", async () => {
  const first = await interruptForCalm(4);
  await queue.end(first);
  expect(await leaseLong(1)).toEqual([]);
  await passSeconds(60);
  expect(await leaseLong(1)).toEqual([]);
  await queue.enqueue({ project: "calm" });
  expect(await leaseLong(1)).toMatchObject([{ project: "calm" }]);
  // Every project may use the slots that are not reserved.
  expect(await leaseLong(1)).toMatchObject([{ project: "greedy" }]);
});

test("X063 a reserved slot that nobody uses goes back to the interrupted project, even if no server manages reservations", async () => {
  await queue.end(await interruptForCalm(2));
  await passSeconds(119);
  expect(await leaseLong(1)).toEqual([]);
  await passSeconds(2);
  expect(await leaseLong(1)).toMatchObject([{ project: "greedy" }]);
  await createSlotSharing(queue.pool, rules).interrupt(0);
  expect(await queue.query("select from slot_reservation")).toEqual([]);
});

test("X063 a reservation does not keep a project below its share", async () => {
  await queue.enqueue({ project: "greedy" }, { project: "calm" }, { project: "calm" }, { project: "calm" });
  await reserveSlots(queue.pool, { agent_uid: agentUid, lane: "long", project: "greedy", slots: 4 });
  expect(await leaseLong(4)).toMatchObject([{ project: "calm" }, { project: "calm" }, { project: "calm" }]);
  expect(await leaseLong(1)).toEqual([]);
  const sharing = createSlotSharing(queue.pool, rules);
  await sharing.interrupt(0);
  await sharing.interrupt(30_000);
  expect(await leaseLong(1)).toMatchObject([{ project: "greedy" }]);
});

test("X063 an agent whose slots are reserved does not stop other agents from getting tasks", async () => {
  await queue.enqueue({ project: "greedy" });
  await reserveSlots(queue.pool, { agent_uid: agentUid, lane: "long", project: "greedy", slots: 1 });
  const signal = { version: () => 0, notify: () => undefined, subscribe: () => () => undefined, close: async () => undefined };
  const turns = findLeaseTurns({ signal, clock: { ...systemClock, now: () => 0 } });
  const take = (uid: string): Promise<LeasedTask[]> => {
    const request = createRequest({ agentUid: uid, lanes: { long: 1, short: 0 } });
    return turns.take(request, () => requestLeases(queue.pool, request));
  };
  expect(await take(agentUid)).toEqual([]);
  expect(await take(await createAgent())).toMatchObject([{ project: "greedy" }]);
});

test(`X063 with two servers, a project waits for one turn only before the first of its successive tasks, and slots do not idle (seed ${seed})`, async () => {
  const random = createRandom(seed).next;
  const pick = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  const slots = pick(2, 5);
  const servers = [createSlotSharing(queue.pool, rules), createSlotSharing(queue.openPool(), rules)];
  await queue.enqueue(...Array.from({ length: slots + 3 }, () => ({ project: "greedy" })));
  let held = await leaseLong(slots);
  let nowMs = 0;
  let idleSeconds = 0;
  let interruptions = 0;
  const lease = async (): Promise<void> => {
    for (;;) {
      const got = held.length < slots ? await leaseLong(slots - held.length) : [];
      if (got.length === 0) return;
      held.push(...got);
    }
  };
  /** Advances the time by one step. Agents stop the tasks that servers interrupt, and then lease new ones. */
  const step = async (seconds: number): Promise<void> => {
    nowMs += seconds * 1000;
    await passSeconds(seconds);
    await queue.query("update agent_presence set seen_at = clock_timestamp()");
    const stopped = new Set((await Promise.all(servers.map((server) => server.interrupt(nowMs)))).flat());
    interruptions += stopped.size;
    for (const task of held.filter(({ uid }) => stopped.has(uid))) await queue.end(task, { state: "cancelled" });
    held = held.filter(({ uid }) => !stopped.has(uid));
    await lease();
    idleSeconds = held.length < slots ? idleSeconds + seconds : 0;
    expect(idleSeconds).toBeLessThanOrEqual(150);
    expect(held.filter(({ project }) => project === "greedy").length).toBeGreaterThanOrEqual(1);
  };
  await step(700);
  for (let nth = 0; nth < 6; nth += 1) {
    const uid = (await queue.enqueue({ project: "calm" }))[0]?.uid ?? "";
    await lease();
    for (let tries = 0; !held.some((task) => task.uid === uid); tries += 1) {
      expect([nth, tries < 10]).toEqual([0, true]);
      await step(pick(5, 20));
    }
    for (let left = pick(1, 5); left > 0; left -= 1) await step(pick(5, 200));
    const task = held.find((one) => one.uid === uid)!;
    await queue.end(task);
    held = held.filter((one) => one !== task);
    await lease();
    if (random() < 0.7) await step(pick(5, 90));
  }
  expect(interruptions).toBeLessThanOrEqual(servers.length);
  for (let left = 8; left > 0; left -= 1) await step(30);
  expect(held.map(({ project }) => project)).toEqual(Array.from({ length: slots }, () => "greedy"));
  expect(await queue.query("select from slot_reservation")).toEqual([]);
}, 60_000);

interface TestAgent {
  readonly uid: string;
  readonly slots: number;
  held: (LeasedTask & { readonly endMs: number })[];
  idleSeconds: number;
}

interface TestProject {
  readonly name: string;
  /** True if all of the project's tasks hang. Such a project always has more tasks than there are slots. */
  readonly hangs: boolean;
  open: number;
  waitedSeconds: number;
}

test(`X063 with several agents and hanging projects, nobody waits much longer than a turn, and no slot idles for long (seed ${seed})`, async () => {
  const random = createRandom(seed).next;
  const pick = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  const uids = [agentUid, ...(await Promise.all(Array.from({ length: pick(0, 2) }, () => createAgent())))];
  const agents = uids.map((uid): TestAgent => ({ uid, slots: pick(2, 4), held: [], idleSeconds: 0 }));
  const total = agents.reduce((sum, { slots }) => sum + slots, 0);
  const projects = Array.from({ length: pick(2, Math.min(5, total)) }, (_, nth): TestProject => ({
    name: `p${nth}`,
    hangs: nth === 0 || random() < 0.4,
    open: 0,
    waitedSeconds: 0,
  }));
  const getProject = (name: string): TestProject => projects.find((project) => project.name === name)!;
  const servers = [createSlotSharing(queue.pool, rules), createSlotSharing(queue.openPool(), rules)];
  let nowMs = 0;
  const enqueue = async ({ name, hangs, open }: TestProject): Promise<void> => {
    const count = Math.max(0, (hangs ? total + 2 : pick(0, 2)) - open);
    await queue.enqueue(...Array.from({ length: count }, () => ({ project: name })));
    getProject(name).open += count;
  };
  const release = async (
    agent: TestAgent,
    isOver: (task: TestAgent["held"][number]) => boolean,
    isDone: boolean,
  ): Promise<void> => {
    for (const task of agent.held.filter(isOver)) {
      await queue.end(task, { state: isDone ? "done" : "cancelled" });
      if (isDone) getProject(task.project).open -= 1;
    }
    agent.held = agent.held.filter((task) => !isOver(task));
  };
  const fill = async (agent: TestAgent): Promise<void> => {
    for (;;) {
      const free = agent.slots - agent.held.length;
      const got = free === 0 ? [] : await queue.lease({ agentUid: agent.uid, lanes: { long: free, short: 0 } });
      if (got.length === 0) return;
      const end = ({ project }: LeasedTask): number => (getProject(project).hangs ? Infinity : nowMs + pick(10, 900) * 1000);
      agent.held.push(...got.map((task) => ({ ...task, endMs: end(task) })));
    }
  };
  for (let nth = 0; nth < 150; nth += 1) {
    const seconds = pick(5, 40);
    nowMs += seconds * 1000;
    await passSeconds(seconds);
    await queue.query("update agent_presence set seen_at = clock_timestamp()");
    for (const project of projects) await enqueue(project);
    for (const agent of agents) await release(agent, ({ endMs }) => endMs <= nowMs, true);
    const stopped = new Set<string>();
    for (const server of servers) for (const uid of await server.interrupt(nowMs)) stopped.add(uid);
    for (const agent of agents) await release(agent, ({ uid }) => stopped.has(uid), false);
    for (const agent of agents) await fill(agent);
    const rows = await queue.query<{ project: string }>("select distinct project from task_line where ready");
    const waiting = new Set(rows.map(({ project }) => project));
    for (const agent of agents) {
      const isIdle = agent.held.length < agent.slots && waiting.size > 0;
      agent.idleSeconds = isIdle ? agent.idleSeconds + seconds : 0;
      expect(agent.idleSeconds).toBeLessThanOrEqual(200);
    }
    for (const project of projects) {
      const holds = agents.some(({ held }) => held.some((task) => task.project === project.name));
      project.waitedSeconds = waiting.has(project.name) && !holds ? project.waitedSeconds + seconds : 0;
      expect(project.waitedSeconds).toBeLessThanOrEqual(rules.turnSeconds + 200);
    }
  }
}, 120_000);
