import { getOperation, type Json } from "@cloudwright/contract";
import { createUid, systemClock } from "@cloudwright/platform";
import { enqueueTasks, type TaskInsert } from "@cloudwright/tasks";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "./testing.ts";
import { callConnect } from "./testing/connect-call.ts";
import { anyWork, joinTestAgent, type TestAgent } from "./testing/test-agent.ts";

interface Leased {
  readonly uid: string;
  readonly project: string;
  readonly leaseToken: string;
  readonly attempt: number;
  readonly leaseSeconds: number;
}

let api: TestApi;
let ada: TestAgent;
let keys: Record<string, string>;

beforeAll(async () => {
  api = await startTestApi();
  await api.createProject("other");
  ada = await joinTestAgent(api, "system", "ada");
  const own = await joinTestAgent(api, "default", "own");
  const other = await joinTestAgent(api, "other", "other");
  keys = { ada: await ada.sign(), own: await own.sign(), other: await other.sign() };
});
beforeEach(() => api.pool.query({ text: "truncate task, task_line, task_attempt, task_log, due", values: [] }));
afterAll(() => api.close());

const doors = {
  rest: async (verb: string, body: Json, key: string): Promise<Json> => {
    const { path } = getOperation("Work", verb).bindings[0] as { path: string };
    return (await api.must("POST", path, { body, key })).body as unknown as Json;
  },
  connect: async (verb: string, body: Json, key: string): Promise<Json> => {
    const { code, reason, text, body: answer } = await callConnect(api.url, getOperation("Work", verb), body, { key });
    if (code !== "ok") throw new Error(`${code} ${reason} ${text}`);
    return answer;
  },
};

async function enqueue(part: Partial<TaskInsert> = {}): Promise<TaskInsert> {
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
  return task;
}

describe.each(["rest", "connect"] as const)("over %s", (name) => {
  const door = doors[name];
  const lease = async (key = keys["ada"] as string, part: object = {}): Promise<Leased[]> =>
    ((await door("lease", { ...anyWork, ...part }, key)) as unknown as { tasks?: Leased[] }).tasks ?? [];

  test("M043 M047 an agent leases a task, says how far it is, and ends it", async () => {
    const task = await enqueue();
    const [leased, ...more] = await lease();
    expect(more).toEqual([]);
    expect(leased).toMatchObject({
      uid: task.uid,
      project: "default",
      type: "network.apply",
      attempt: 1,
      leaseSeconds: 30,
      payload: { size: 3 },
    });
    const { uid, leaseToken } = leased as Leased;
    const beat = { uid, leaseToken, progressPercent: 40, message: "subnets", lines: [{ seq: 1, line: "one" }] };
    expect(await door("renew", { tasks: [beat] }, keys["ada"] as string)).toMatchObject({
      tasks: [{ uid, renewed: true }],
      leaseSeconds: 30,
    });
    expect(await door("finish", { uid, leaseToken, outcome: "done", outputs: { vpc: "v-1" } }, keys["ada"] as string)).toEqual({
      accepted: true,
    });
    expect((await door("finish", { uid, leaseToken, outcome: "done" }, keys["ada"] as string)) as object).not.toMatchObject({
      accepted: true,
    });
    const { rows } = await api.pool.query({ text: "select state, outcome from task_state where uid = $1", values: [uid] });
    expect(rows).toEqual([{ state: "done", outcome: { state: "done", result: { vpc: "v-1" } } }]);
  });

  test("M050 an agent of one project never gets a task of another", async () => {
    await enqueue();
    expect(await lease(keys["other"])).toEqual([]);
    expect(await lease(keys["own"])).toHaveLength(1);
  });
});
