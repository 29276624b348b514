import { getMethod, type Json, type JsonObject } from "@cloudwright/contract";
import { listRecordedTasks } from "@cloudwright/contract/testing/recorded-payloads";
import { cancelTasks } from "@cloudwright/tasks";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import { callConnect } from "../testing/connect-call.ts";
import { callPlainly } from "../testing/plain-call.ts";
import { enqueueTask } from "../testing/enqueue-task.ts";
import { anyWork, joinTestAgent } from "../testing/test-agent.ts";

interface Leased {
  readonly uid: string;
  readonly leaseToken: string;
}

let api: TestApi;
let keys: Record<"ada" | "bob" | "own" | "other", string>;

beforeAll(async () => {
  api = await startTestApi();
  await api.createProject("other");
  const join = async (project: string, name: string): Promise<string> => (await joinTestAgent(api, project, name)).sign();
  keys = {
    ada: await join("system", "ada"),
    bob: await join("system", "bob"),
    own: await join("default", "own"),
    other: await join("other", "other"),
  };
});
beforeEach(() => api.pool.query({ text: "truncate task, task_line, task_attempt, task_log, due", values: [] }));
afterAll(() => api.close());

type Endpoint = (verb: string, body: JsonObject, key?: string) => Promise<JsonObject>;

const overRest: Endpoint = async (verb, body, key = keys.ada) => {
  const { path } = getMethod("Work", verb).bindings[0] as { path: string };
  return (await api.must("POST", path, { body, key })).body as unknown as JsonObject;
};
const overConnect: Endpoint = async (verb, body, key = keys.ada) => {
  const { code, reason, text, body: answer } = await callConnect(api.url, getMethod("Work", verb), body, { key });
  if (code !== "ok") throw new Error(`${code} ${reason} ${text}`);
  return answer as JsonObject;
};
const asAgentsDo: Endpoint = async (verb, body, key = keys.ada) => {
  const { code, reason, text, body: answer } = await callPlainly(api.url, getMethod("Work", verb), body, key);
  if (code !== "ok") throw new Error(`${code} ${reason} ${text}`);
  return answer as JsonObject;
};
const endpoints = { rest: overRest, connect: overConnect, "plain connect": asAgentsDo };

async function lease(endpoint: Endpoint = overRest, key = keys.ada, part: JsonObject = {}): Promise<Leased[]> {
  return ((await endpoint("lease", { ...anyWork, ...part }, key))["tasks"] ?? []) as unknown as Leased[];
}

async function leaseOne(): Promise<Leased> {
  const [leased] = await lease();
  if (leased === undefined) throw new Error("no task was leased");
  return leased;
}

async function query(text: string, ...values: unknown[]): Promise<object[]> {
  return (await api.pool.query<object>({ text, values })).rows;
}

const readState = (uid: string): Promise<object[]> => query("select state, attempt, outcome from task_state where uid = $1", uid);

describe.each(Object.entries(endpoints))("over %s", (_, endpoint) => {
  test("M043 M047 M054 an agent leases a task, reports its progress and ends it", async () => {
    const operationUid = "01a1de63-5a31-74fa-878e-d71753430fe9";
    const task = await enqueueTask(api, { operationUid });
    const [leased, ...more] = await lease(endpoint);
    expect(more).toEqual([]);
    expect(leased).toEqual({
      uid: task.uid,
      project: "default",
      type: "network.apply",
      lane: "long",
      entityKind: "Network",
      entityUid: task.entityUid,
      entityName: "blue",
      operation: "op-d71753430fe9",
      attempt: 1,
      payloadVersion: 1,
      payload: { size: 3 },
      leaseToken: expect.any(String),
      leaseSeconds: 600,
    });
    const { uid, leaseToken } = leased as Leased;
    const beat = { uid, leaseToken, progressPercent: 40, message: "subnets", lines: [{ seq: 1, line: "one" }] };
    expect(await endpoint("renew", { tasks: [beat] })).toMatchObject({ tasks: [{ uid, renewed: true }], leaseSeconds: 600 });
    expect(await query("select progress from task_line")).toEqual([{ progress: { percent: 40, message: "subnets" } }]);
    const lines = [{ seq: 2, at: "2026-01-02T03:04:05.678Z", line: "two" }];
    expect(await endpoint("finish", { uid, leaseToken, outcome: "done", outputs: { vpc: "v-1" }, lines })).toEqual({
      accepted: true,
    });
    expect(await endpoint("finish", { uid, leaseToken, outcome: "done" })).not.toEqual({ accepted: true });
    expect(await endpoint("renew", { tasks: [beat] })).not.toMatchObject({ tasks: [{ renewed: true }] });
    expect(await readState(uid)).toEqual([{ state: "done", attempt: 1, outcome: { state: "done", result: { vpc: "v-1" } } }]);
    const at = new Date("2026-01-02T03:04:05.678Z");
    expect(await query("select seq, line, at from task_log order by seq")).toEqual([
      { seq: 1, line: "one", at: expect.any(Date) },
      { seq: 2, line: "two", at },
    ]);
  });

  test("M050 a project's agent never gets another project's tasks; an agent in the system project gets all tasks", async () => {
    await enqueueTask(api);
    expect(await lease(endpoint, keys.other)).toEqual([]);
    expect(await lease(endpoint, keys.own)).toHaveLength(1);
    await enqueueTask(api, { project: "other" });
    expect(await lease(endpoint, keys.own)).toEqual([]);
    expect(await lease(endpoint, keys.ada)).toHaveLength(1);
  });

  test("M043 an agent receives tasks that fit its labels, handlers and slots", async () => {
    const tasks = [await enqueueTask(api), await enqueueTask(api, { type: "network.check", lane: "short" })];
    expect(await lease(endpoint, keys.ada, { labels: { cloud: "gcp, azure" } })).toEqual([]);
    expect(await lease(endpoint, keys.ada, { types: ["cluster.apply"] })).toEqual([]);
    expect(await lease(endpoint, keys.ada, { longLane: 0, shortLane: 0 })).toEqual([]);
    const short = await lease(endpoint, keys.ada, { longLane: 0, labels: { cloud: "gcp, aws" }, types: ["network.check"] });
    expect(short.map(({ uid }) => uid)).toEqual([tasks[1]?.uid]);
  });

  test.each([
    ["old", { minPayloadVersion: 0, maxPayloadVersion: 0 }, /this agent/],
    ["new", { minPayloadVersion: 6, maxPayloadVersion: 7 }, /the control plane/],
  ])("M043 an agent whose release is too %s is told what to upgrade and gets no tasks", async (_age, versions, what) => {
    await enqueueTask(api);
    const answer = await endpoint("lease", { ...anyWork, ...versions });
    expect(answer["upgrade"]).toMatch(what);
    expect(answer["tasks"] ?? []).toEqual([]);
  });

  test("M043 an agent one release older gets all tasks that it can read, and is told to upgrade only for the others", async () => {
    const older = { minPayloadVersion: 1, maxPayloadVersion: 1 };
    const recorded = listRecordedTasks();
    const tasks: { uid: string; payloadVersion: number }[] = [];
    for (const { type, payloadVersion, payload } of recorded)
      tasks.push(await enqueueTask(api, { type, payloadVersion, payload, placement: {} }));
    const first = await endpoint("lease", { ...anyWork, ...older, longLane: 100 });
    const readable = tasks.filter(({ payloadVersion }) => payloadVersion === 1);
    const given = (first["tasks"] as unknown as Leased[]).map(({ uid }) => uid);
    expect([given.toSorted(), first["upgrade"] ?? ""]).toEqual([readable.map(({ uid }) => uid).toSorted(), ""]);
    const second = await endpoint("lease", { ...anyWork, ...older, longLane: 100 });
    expect(second["tasks"] ?? []).toEqual([]);
    expect(second["upgrade"]).toMatch(/upgrade this agent: .* a task of type \w+\.apply with version 2 is waiting/);
    expect((await endpoint("lease", { ...anyWork, ...older }, keys.other))["upgrade"] ?? "").toBe("");
    const own = await endpoint("lease", { ...anyWork, maxPayloadVersion: 5, longLane: 100 });
    expect(own["tasks"]).toHaveLength(tasks.length - readable.length);
    expect((await endpoint("lease", { ...anyWork, ...older }))["upgrade"] ?? "").toBe("");
  });

  test("M043 an agent one release newer than the server gets every task", async () => {
    const recorded = listRecordedTasks();
    for (const { type, payloadVersion, payload } of recorded)
      await enqueueTask(api, { type, payloadVersion, payload, placement: {} });
    const answer = await endpoint("lease", { ...anyWork, minPayloadVersion: 1, maxPayloadVersion: 6, longLane: 100 });
    expect(answer["tasks"]).toHaveLength(recorded.length);
    expect(answer["upgrade"] ?? "").toBe("");
  });

  test("M047 an agent does not lose its lease over text that cannot be stored: unsupported characters are replaced", async () => {
    const nul = endpoint !== overRest ? "a\u0000b" : "a\\b";
    await enqueueTask(api);
    const { uid, leaseToken } = await leaseOne();
    const beat = { uid, leaseToken, message: nul, lines: [{ seq: 1, at: "9999-12-31T23:59:59Z", line: nul }] };
    expect(await endpoint("renew", { tasks: [beat] })).toMatchObject({ tasks: [{ renewed: true }] });
    const fault = { code: nul, message: nul, help: nul, permanent: true, left: [nul] };
    expect(await endpoint("finish", { uid, leaseToken, outcome: "failed", fault, outputs: { [nul]: nul } })).toEqual({
      accepted: true,
    });
    const shown = await api.must("GET", `/v1/projects/default/tasks/${uid}`);
    expect(shown.body.status["fault"]).toMatchObject({ permanent: true, left: [expect.any(String)] });
  });
});

test("M045 M054 the first heartbeat and every heartbeat with new information wake the entity; others do not", async () => {
  const { entityUid } = await enqueueTask(api);
  const { uid, leaseToken } = await leaseOne();
  const wakes = vi.spyOn(api.deps.wakes, "notify");
  const beat = async (progressPercent: number, message: string): Promise<unknown> => {
    await query("truncate due");
    wakes.mockClear();
    await overRest("renew", { tasks: [{ uid, leaseToken, progressPercent, message }] });
    const due = await query("select entity_uid from due");
    expect(due.length).toBe(wakes.mock.calls.length);
    return due;
  };
  expect(await beat(0, "")).toEqual([{ entity_uid: entityUid }]);
  expect(await beat(0, "")).toEqual([]);
  expect(await beat(10, "")).toEqual([{ entity_uid: entityUid }]);
  expect(await beat(10, "vpc")).toEqual([{ entity_uid: entityUid }]);
  expect(await beat(10, "vpc")).toEqual([]);
  wakes.mockRestore();
});

test("M047 a heartbeat reports back which tasks should stop and which leases are lost", async () => {
  await enqueueTask(api);
  const { uid, leaseToken } = await leaseOne();
  await cancelTasks(api.pool, { uids: [uid] }, { reason: "changed my mind", running: "stop" });
  const lost = { uid, leaseToken: "01a1de63-5a31-74fa-878e-d71753430fe9" };
  const unknown = { uid: "no uid", leaseToken };
  expect(await overRest("renew", { tasks: [{ uid, leaseToken }, unknown] })).toEqual({
    tasks: [
      { uid, renewed: true, cancelReason: "changed my mind" },
      { uid: "no uid", renewed: false, cancelReason: "" },
    ],
    leaseSeconds: 600,
  });
  expect(await overRest("renew", { tasks: [lost] })).toMatchObject({ tasks: [{ renewed: false }] });
  expect(await overRest("finish", { uid, leaseToken, outcome: "cancelled" })).toEqual({ accepted: true });
  expect(await readState(uid)).toMatchObject([{ state: "cancelled" }]);
});

test("M047 a lease belongs to its agent: no other agent can use its token to renew the lease, write logs or end the task", async () => {
  await enqueueTask(api);
  const { uid, leaseToken } = await leaseOne();
  for (const key of [keys.bob, keys.other]) {
    const beat = { uid, leaseToken, progressPercent: 99, lines: [{ seq: 1, line: "mine" }] };
    expect(await overRest("renew", { tasks: [beat] }, key)).toMatchObject({ tasks: [{ renewed: false }] });
    expect(await overRest("finish", { uid, leaseToken, outcome: "done", lines: beat.lines }, key)).toEqual({ accepted: false });
  }
  expect(await query("select line from task_log")).toEqual([]);
  expect(await readState(uid)).toMatchObject([{ state: "leased" }]);
});

test("M047 the fault's own fields decide how the task continues", async () => {
  const finish = async (outcome: string, fault?: JsonObject): Promise<object | undefined> => {
    await query("truncate task, task_line, task_attempt");
    await enqueueTask(api);
    const { uid, leaseToken } = await leaseOne();
    await overRest("finish", { uid, leaseToken, outcome, ...(fault === undefined ? {} : { fault }) });
    const [row] = await query(
      `select t.state, coalesce(a.outcome, t.outcome) -> 'fault' as fault, coalesce(a.outcome, t.outcome) -> 'result' as result,
        delayed_until > now() + interval '23 hours' as late from task_state t left join task_attempt a on a.task_uid = t.uid`,
    );
    return row;
  };
  const fault = { code: "cloud.denied", message: "not allowed", help: "Ask." };
  const left = ["vpc vpc-1: in use"];
  expect(await finish("failed", { ...fault, permanent: true, left })).toEqual({
    state: "failed",
    fault: { ...fault, retry: "never" },
    result: { left },
    late: null,
  });
  const after = { ...fault, retry: "after", retryAfterMs: 86_400_000 };
  expect(await finish("failed", { ...fault, retryAfterMs: 86_400_000 })).toEqual({
    state: "ready",
    fault: after,
    result: {},
    late: true,
  });
  expect(await finish("failed", fault)).toMatchObject({ state: "ready", fault: { ...fault, retry: "backoff" }, late: false });
  expect(await finish("failed")).toMatchObject({ state: "ready", fault: { code: "tasks.failed", retry: "backoff" } });
  expect(await finish("returned")).toEqual({ state: "ready", fault: null, result: null, late: null });
});

test("M043 the end of a task notifies the reconciler and agents that wait for tasks", async () => {
  const { entityUid } = await enqueueTask(api);
  const { uid, leaseToken } = await leaseOne();
  const told = [vi.spyOn(api.deps.wakes, "notify"), vi.spyOn(api.deps.taskSignal, "notify")];
  await overRest("finish", { uid, leaseToken, outcome: "done" });
  expect(told.map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  expect(await query("select entity_uid from due")).toEqual([{ entity_uid: entityUid }]);
  for (const spy of told) spy.mockRestore();
});

test("M050 a heartbeat for 200 tasks takes a handful of statements", async () => {
  for (let nth = 0; nth < 200; nth += 1) await enqueueTask(api);
  const tasks = [
    ...(await lease(overRest, keys.ada, { longLane: 100 })),
    ...(await lease(overRest, keys.ada, { longLane: 100 })),
  ];
  expect(tasks).toHaveLength(200);
  const statements = vi.spyOn(api.pool, "query");
  const beats = tasks.map(({ uid, leaseToken }) => ({ uid, leaseToken, progressPercent: 5, lines: [{ seq: 1, line: uid }] }));
  const answer = (await overRest("renew", { tasks: beats })) as unknown as { tasks: { renewed: boolean }[] };
  const count = statements.mock.calls.length;
  statements.mockRestore();
  expect(answer.tasks.filter(({ renewed }) => renewed)).toHaveLength(200);
  expect(await query("select count(*)::int as lines from task_log where task_uid::text = line")).toEqual([{ lines: 200 }]);
  expect(count).toBeLessThanOrEqual(6);
});

test("M047 a request that violates the contract is rejected with the name of the field, never with a server error", async () => {
  const uid = "01a1de63-5a31-74fa-878e-d71753430fe9";
  const many = (count: number, item: Json): Json[] => Array.from({ length: count }, () => item);
  const bad: [string, JsonObject][] = [
    ["/v1/worker/tasks", { longLane: -1 }],
    ["/v1/worker/tasks", { shortLane: 101 }],
    ["/v1/worker/tasks", { waitSeconds: 61 }],
    ["/v1/worker/tasks", { labels: { "a\u0000": "b" } }],
    ["/v1/worker/tasks", { types: "*" }],
    ["/v1/worker/tasks", { unknown: true }],
    ["/v1/worker/heartbeat", { tasks: many(201, { uid }) }],
    ["/v1/worker/heartbeat", { tasks: [{ uid, progressPercent: 101 }] }],
    ["/v1/worker/heartbeat", { tasks: [{ uid, lines: many(1001, { seq: 1 }) }] }],
    ["/v1/worker/heartbeat", { tasks: [{ uid, lines: [{ seq: 1, line: "x".repeat(16_385) }] }] }],
    ["/v1/worker/heartbeat", { tasks: [{ uid, lines: [{ seq: "one" }] }] }],
    ["/v1/worker/finish", {}],
    ["/v1/worker/finish", { uid, leaseToken: uid, outcome: "great" }],
    ["/v1/worker/finish", { uid: "x", leaseToken: uid, outcome: "done" }],
    ["/v1/worker/finish", { uid, leaseToken: uid, outcome: "failed", fault: { retryAfterMs: -1 } }],
  ];
  for (const [path, body] of bad) {
    const answer = await api.call("POST", path, { key: keys.ada, body });
    expect([path, answer.status, answer.body.code]).toEqual([path, 400, "api.invalid"]);
  }
  const over = await callConnect(
    api.url,
    getMethod("Work", "lease"),
    { ...anyWork, labels: { "a\u0000": "b" } },
    { key: keys.ada },
  );
  expect([over.code, over.reason]).toEqual(["InvalidArgument", "api.invalid"]);
});
