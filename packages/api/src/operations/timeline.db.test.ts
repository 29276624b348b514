import { fromJson } from "@bufbuild/protobuf";
import type { Json } from "@cloudwright/contract";
import { GetTimelineResponseSchema } from "@cloudwright/contract/gen/cloudwright/v1/operation_pb.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import { enqueueTask } from "../testing/enqueue-task.ts";
import { anyWork, joinTestAgent } from "../testing/test-agent.ts";

const base = "/v1/projects/default";

let api: TestApi;
let operation: string;

/** Creates an account whose task fails once and then succeeds. Each attempt writes two log lines. */
beforeAll(async () => {
  api = await startTestApi();
  await api.must("POST", `${base}/environments`, { body: { metadata: { name: "prod" } } });
  const body = { metadata: { name: "main", environment: "prod" }, spec: { aws: {} } };
  const { metadata } = (await api.must("POST", `${base}/accounts`, { body })).body;
  operation = metadata.operation ?? "";
  const found = await api.must("GET", `${base}/operations/${operation}`);
  const operationUid = found.body.metadata.uid ?? "";
  await enqueueTask(api, { operationUid, entityUid: metadata.uid ?? "", type: "account.verify" });
  const key = await (await joinTestAgent(api, "system", "edge")).sign();
  const attempt = async (outcome: string, line: string): Promise<void> => {
    const { body: leased } = await api.must("POST", "/v1/worker/tasks", { key, body: anyWork });
    const [{ uid, leaseToken }] = (leased as unknown as { tasks: [{ uid: string; leaseToken: string }] }).tasks;
    const fault = outcome === "failed" ? { fault: { code: "cloud.throttled", message: "slow down" } } : {};
    const lines = [1, 2].map((seq) => ({ seq, line: `${line} ${seq}` }));
    await api.must("POST", "/v1/worker/finish", { key, body: { uid, leaseToken, outcome, lines, ...fault } });
  };
  await attempt("failed", "first");
  await api.pool.query({ text: "update task_line set delayed_until = now()", values: [] });
  await attempt("done", "second");
});
afterAll(() => api.close());

interface Entry {
  readonly at: string;
  readonly source: string;
  readonly reason: string;
  readonly message: string;
  readonly taskType: string;
  readonly attempt: number;
  readonly actor: string;
}

async function read(query = "", name = operation): Promise<Entry[]> {
  const { body } = await api.must("GET", `${base}/operations/${name}/timeline${query}`);
  fromJson(GetTimelineResponseSchema, body as unknown as Json);
  return body.items as unknown as Entry[];
}

test("X015 a timeline shows everything from the call to the last log line, in order", async () => {
  const entries = await read("?logLines=10");
  expect(entries.map(({ source, reason, attempt, actor }) => `${source} ${reason} ${attempt} ${actor}`)).toEqual([
    "api Created 0 admin",
    "task TaskEnqueued 0 platform",
    "task TaskStarted 1 agent:edge",
    "log Line 1 agent",
    "log Line 1 agent",
    "task TaskAttemptFailed 1 agent:edge",
    "task TaskStarted 2 agent:edge",
    "log Line 2 agent",
    "log Line 2 agent",
    "task TaskDone 2 agent:edge",
  ]);
  expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted());
  expect(entries[5]?.message).toContain("slow down");
  expect(entries.filter(({ source }) => source === "log").map(({ message }) => message)).toEqual([
    "first 1",
    "first 2",
    "second 1",
    "second 2",
  ]);
});

test("X015 log lines are included only on request, limited to the last ones", async () => {
  expect((await read()).filter(({ source }) => source === "log")).toEqual([]);
  expect((await read("?logLines=1")).filter(({ source }) => source === "log").map(({ message }) => message)).toEqual([
    "second 2",
  ]);
});

test("X015 events of the entity before or after the operation are not part of its timeline", async () => {
  const { body: account } = await api.must("GET", `${base}/accounts/main`);
  const uid = account.metadata.uid ?? "";
  const text = `insert into event (uid, project, at, type, reason, message, kind, name, entity_uid, actor)
    select gen_random_uuid(), 'default', now() + make_interval(hours => hour), 'Normal', 'At' || hour, '', 'Account', 'main', $1, 'platform'
    from unnest(array[-2, 0, 2]) as hour`;
  await api.pool.query({ text, values: [uid] });
  const reasons = async (): Promise<string[]> =>
    (await read()).filter(({ source }) => source === "reconciler").map(({ reason }) => reason);
  expect(await reasons()).toEqual(["At0", "At2"]);
  const end = `update entity set object = jsonb_set(object::jsonb, '{status,endedAt}', to_jsonb(to_char((now() + interval '1 hour') at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')))::json
    where kind = 'Operation' and name = $1`;
  await api.pool.query({ text: end, values: [operation] });
  expect(await reasons()).toEqual(["At0"]);
});

test("X015 a step may be done by a task of another operation", async () => {
  const { uid } = await enqueueTask(api, { type: "cluster.apply" });
  const text =
    "update entity set object = jsonb_set(object::jsonb, '{status,steps}', $2)::json where kind = 'Operation' and name = $1";
  await api.pool.query({
    text,
    values: [operation, JSON.stringify([{ name: "a", task: uid }, { name: "b", task: "none" }, {}])],
  });
  expect((await read()).filter(({ taskType }) => taskType === "cluster.apply")).toMatchObject([
    { task: uid, reason: "TaskEnqueued" },
  ]);
});

test("M045 the tasks of an operation are found by its name", async () => {
  const list = async (name: string): Promise<unknown[]> =>
    (await api.must("GET", `${base}/tasks?filter=spec.operation=${name},spec.type=account.verify`)).body.items;
  expect(await list(operation)).toMatchObject([{ spec: { operation } }]);
  expect(await list("op-000000000000")).toEqual([]);
});

test("X015 a timeline is visible to callers who may see the operation", async () => {
  await api.must("POST", `${base}/environments`, { body: { metadata: { name: "staging" } } });
  for (const [environment, status] of [
    ["prod", 200],
    ["staging", 404],
  ] as const) {
    const person = await api.createPerson(`in-${environment}`, [{ project: "default", role: "viewer", environment }]);
    expect((await api.call("GET", `${base}/operations/${operation}/timeline`, { key: person.key })).status).toBe(status);
  }
  for (const [name, query] of [
    ["nobody", ""],
    [operation, "?logLines=1001"],
    [operation, "?logLines=-1"],
    [operation, "?logLines=many"],
  ] as const) {
    const { status } = await api.call("GET", `${base}/operations/${name}/timeline${query}`);
    expect([name, query, status]).toEqual([name, query, query === "" ? 404 : 400]);
  }
});

test("X062 the timeline of an entity that moved to another environment is closed to users who cannot see it there", async () => {
  const dev = { metadata: { name: "dev" } };
  await api.must("POST", `${base}/environments`, { body: dev });
  const body = { metadata: { name: "mover", environment: "dev" }, spec: { aws: {} } };
  const { metadata } = (await api.must("POST", `${base}/accounts`, { body })).body;
  const { key } = await api.createPerson("dan", [{ project: "default", role: "editor", environment: "dev" }]);
  const path = `${base}/operations/${metadata.operation ?? ""}/timeline`;
  expect((await api.call("GET", path, { key })).status).toBe(200);
  await api.must("PATCH", `${base}/accounts/mover`, { body: { metadata: { environment: "prod" } } });
  expect(await api.call("GET", path, { key })).toMatchObject({ status: 403, body: { code: "api.denied" } });
});
