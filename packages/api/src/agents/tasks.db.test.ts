import { fromJson } from "@bufbuild/protobuf";
import { getMethod, validate, type Json } from "@cloudwright/contract";
import {
  ListTaskLogsResponseSchema,
  ListTasksResponseSchema,
  TaskSchema,
} from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { createUid, systemClock } from "@cloudwright/platform";
import { cancelTasks, type TaskInsert } from "@cloudwright/tasks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import { callConnect } from "../testing/connect-call.ts";
import { enqueueTask } from "../testing/enqueue-task.ts";
import { anyWork, joinTestAgent, type TestAgent } from "../testing/test-agent.ts";

const base = "/v1/projects/default";
const operationUid = createUid(systemClock.now());

let api: TestApi;
let agent: TestAgent;
let tasks: Record<"failed" | "running" | "waiting" | "gone", TaskInsert>;

/** Creates a failed, a running and a waiting task, each in a different environment, and a task for a deleted entity. */
beforeAll(async () => {
  api = await startTestApi();
  for (const name of ["staging", "prod"]) await api.must("POST", `${base}/environments`, { body: { metadata: { name } } });
  const uids: string[] = [];
  for (const environment of ["staging", "prod", ""]) {
    const body = { metadata: { name: `a-${environment || "none"}`, environment }, spec: { aws: {} } };
    uids.push((await api.must("POST", `${base}/accounts`, { body })).body.metadata.uid ?? "");
  }
  const [staging = "", prod = "", none = ""] = uids;
  agent = await joinTestAgent(api, "system", "edge");
  const key = await agent.sign();
  const work = async (verb: "tasks" | "finish", body: Json): Promise<{ tasks: { uid: string; leaseToken: string }[] }> =>
    (await api.must("POST", `/v1/worker/${verb}`, { key, body })).body as never;
  const lease = async (type: string): Promise<{ uid: string; leaseToken: string }> =>
    (await work("tasks", { ...anyWork, types: [type] })).tasks[0] as { uid: string; leaseToken: string };

  const failed = await enqueueTask(api, {
    entityUid: staging,
    type: "account.verify",
    lane: "short",
    operationUid,
    maxAttempts: 2,
  });
  const fault = { code: "cloud.throttled", message: "slow down", help: "Wait.", left: ["vpc 1: in use"] };
  const lines = [1, 2, 3].map((seq) => ({ seq, at: "2026-01-01T00:00:00Z", line: `line ${seq}` }));
  await work("finish", { ...pick(await lease("account.verify")), outcome: "failed", fault, lines });
  await api.pool.query({ text: "update task_line set delayed_until = now()", values: [] });
  await work("finish", {
    ...pick(await lease("account.verify")),
    outcome: "failed",
    fault: { ...fault, permanent: true },
    lines,
  });
  const running = await enqueueTask(api, { entityUid: prod });
  const waiting = await enqueueTask(api, { entityUid: none, type: "network.check" });
  await lease("network.apply");
  await cancelTasks(api.pool, { uids: [running.uid] }, { reason: "enough", running: "stop" });
  tasks = { failed, running, waiting, gone: await enqueueTask(api, {}) };
});
afterAll(() => api.close());

function pick({ uid, leaseToken }: { uid: string; leaseToken: string }): { uid: string; leaseToken: string } {
  return { uid, leaseToken };
}

async function list(query = "", key = api.adminKey): Promise<string[]> {
  const { body } = await api.must("GET", `${base}/tasks${query}`, { key });
  // Throws if the response has a field that the contract does not define.
  fromJson(ListTasksResponseSchema, body as unknown as Json);
  return body.items.map(({ metadata }) => metadata.uid ?? "");
}

test("M001 every task conforms to the published schema and can be read by name and by uid", async () => {
  const { body } = await api.must("GET", `${base}/tasks`);
  const { items } = fromJson(ListTasksResponseSchema, body as unknown as Json);
  expect(items.length).toBeGreaterThan(2);
  for (const item of items) {
    expect(validate(TaskSchema, item)).toEqual([]);
    const { name = "", uid = "" } = item.metadata ?? {};
    for (const ref of [name, uid]) {
      expect((await api.must("GET", `${base}/tasks/${ref}`)).body.metadata.uid).toBe(uid);
      expect((await api.must("GET", `${base}/tasks/${ref}/logs`)).body).toHaveProperty("items");
    }
  }
});

test("M045 a task is shown with its state, its fault and earlier attempts", async () => {
  const { body } = await api.must("GET", `${base}/tasks/${tasks.failed.uid}`);
  fromJson(TaskSchema, body as unknown as Json);
  const fault = { code: "cloud.throttled", message: "slow down", help: "Wait.", left: ["vpc 1: in use"] };
  expect(body).toMatchObject({
    metadata: { project: "default", name: `task-${tasks.failed.uid}`, uid: tasks.failed.uid },
    spec: {
      type: "account.verify",
      entityUid: tasks.failed.entityUid,
      operation: `op-${operationUid.slice(-12)}`,
      maxAttempts: 2,
    },
    status: {
      state: "FAILED",
      attempt: 2,
      agent: "edge",
      message: "slow down",
      fault: { ...fault, permanent: true },
      attempts: [{ attempt: 1, agent: "edge", fault: { ...fault, permanent: false } }],
    },
  });
  const running = (await api.must("GET", `${base}/tasks/${tasks.running.uid}`)).body;
  expect(running.status).toMatchObject({ state: "LEASED", cancelReason: "enough", leaseExpiresAt: expect.any(String) });
  expect(JSON.stringify([body, running])).not.toContain("leaseToken");
});

test("M045 Connect returns the same task", async () => {
  const message = { project: "default", name: tasks.failed.uid };
  const { body } = await callConnect(api.url, getMethod("Task", "get"), message, { key: api.adminKey });
  expect(body).toMatchObject({ status: { state: "FAILED", fault: { code: "cloud.throttled" } } });
});

test("M045 tasks are listed newest first, by page and by field", async () => {
  const all = [tasks.gone, tasks.waiting, tasks.running, tasks.failed]
    .map(({ uid }) => uid)
    .toSorted()
    .toReversed();
  expect(await list()).toEqual(all);
  const page = await api.must("GET", `${base}/tasks?pageSize=3`);
  expect(page.body.items).toHaveLength(3);
  expect(await list(`?pageSize=3&pageToken=${page.body.nextPageToken}`)).toEqual(all.slice(3));
  expect(await list("?filter=status.state=FAILED")).toEqual([tasks.failed.uid]);
  expect(await list(`?filter=spec.operation=op-${operationUid.slice(-12)}`)).toEqual([tasks.failed.uid]);
  expect(await list(`?filter=spec.entityUid=${tasks.running.entityUid},spec.lane=long`)).toEqual([tasks.running.uid]);
});

test("M045 filters that do not apply to tasks are rejected", async () => {
  for (const query of [
    "labelSelector=a%3Db",
    "orderBy=name",
    "filter=spec.payload=x",
    "filter=status.attempts=1",
    "pageToken=x",
  ]) {
    const answer = await api.call("GET", `${base}/tasks?${query}`);
    expect([query, answer.status]).toEqual([query, 400]);
  }
  for (const name of ["nobody", createUid(systemClock.now())]) {
    for (const path of [`${base}/tasks/${name}`, `${base}/tasks/${name}/logs`, `/v1/projects/system/tasks/${tasks.failed.uid}`]) {
      expect([path, (await api.call("GET", path)).body.code]).toEqual([path, "api.not_found"]);
    }
  }
  for (const query of ["after=1", "after=x.y", "after=-1.1", "after=1.99999999999", "pageSize=1001"])
    expect([query, (await api.call("GET", `${base}/tasks/${tasks.failed.uid}/logs?${query}`)).status]).toEqual([query, 400]);
});

test("M029 M045 a member of one environment sees only the tasks for its entities", async () => {
  const part = await api.createPerson("part", [{ project: "default", role: "viewer", environment: "staging" }]);
  expect(await list("", part.key)).toEqual([tasks.failed.uid]);
  for (const [name, task] of Object.entries(tasks)) {
    for (const path of [`${base}/tasks/${task.uid}`, `${base}/tasks/${task.uid}/logs`]) {
      const { status } = await api.call("GET", path, { key: part.key });
      expect([name, status]).toEqual([name, name === "failed" ? 200 : 404]);
    }
  }
});

test("M045 a log is read in order, starting at a position", async () => {
  const read = async (query: string): Promise<string[]> => {
    const { body } = await api.must("GET", `${base}/tasks/${tasks.failed.uid}/logs${query}`);
    const { items } = fromJson(ListTaskLogsResponseSchema, body as unknown as Json);
    return items.map(({ attempt, seq, line }) => `${attempt}.${seq} ${line}`);
  };
  const all = [1, 2].flatMap((attempt) => [1, 2, 3].map((seq) => `${attempt}.${seq} line ${seq}`));
  expect(await read("")).toEqual(all);
  expect(await read("?after=1.2&pageSize=2")).toEqual(all.slice(2, 4));
  expect(await read("?after=2.3")).toEqual([]);
});

test("M009 a new project does not get the tasks of an earlier project of the same name", async () => {
  await api.createProject("again");
  const task = await enqueueTask(api, { project: "again" });
  expect((await api.must("GET", "/v1/projects/again/tasks")).body.items).toHaveLength(1);
  await api.pool.query({ text: "delete from task_line where task_uid = $1", values: [task.uid] });
  await api.must("DELETE", "/v1/projects/again?cascade=true");
  await api.createProject("again");
  expect((await api.must("GET", "/v1/projects/again/tasks")).body.items).toEqual([]);
  expect((await api.call("GET", `/v1/projects/again/tasks/${task.uid}`)).status).toBe(404);
});
