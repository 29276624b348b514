import { fromJson } from "@bufbuild/protobuf";
import { getMethod, type Json, type JsonObject } from "@cloudwright/contract";
import { ListRunsResponseSchema, RunPlanSchema, RunSchema } from "@cloudwright/contract/gen/cloudwright/v1/run_pb.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";
import { callConnect } from "../testing/connect-call.ts";
import type { TestAnswer } from "../testing/http-call.ts";
import { renderTfState, startRun } from "../testing/state-run.ts";
import { endTask, seedRun, seedTask, type SeededRun } from "../testing/seed-run.ts";
import { joinTestAgent } from "../testing/test-agent.ts";
import { clearWakes, readWakes, setOperationState } from "../testing/work.ts";

const base = "/v1/projects/default";
let api: TestApi;
let agent: string;
let editor: Person;
let entityUid: string;
let made = 0;

beforeAll(async () => {
  api = await startTestApi();
  agent = await (await joinTestAgent(api, "system", "ada")).sign();
  editor = await api.createPerson("eddy", [{ project: "default", role: "editor" }]);
  for (const name of ["prod", "staging"]) await api.must("POST", `${base}/environments`, { body: { metadata: { name } } });
  await api.must("POST", `${base}/accounts`, { body: { metadata: { name: "main" }, spec: { simulated: true, aws: {} } } });
});
beforeEach(async () => void (entityUid = await createNetwork()));
afterAll(() => api.close());

/** Creates a network with an empty state. */
async function createNetwork(environment = ""): Promise<string> {
  made += 1;
  const body = { metadata: { name: `net-${made}`, environment }, spec: { account: "main", region: "eu-west-1" } };
  const uid = (await api.must("POST", `${base}/networks`, { body })).body.metadata.uid ?? "";
  await (await startRun(api, agent, uid, { work: { type: "network.check" } })).finish();
  return uid;
}

const seed = (given: SeededRun = {}): Promise<string> => seedRun(api, entityUid, given);
const seen = ({ status, body }: TestAnswer): [number, string] => [status, body.code ?? ""];
const judge = (verb: string, uid: string, key = api.adminKey, body: JsonObject = {}): Promise<TestAnswer> =>
  api.call("POST", `${base}/runs/${uid}:${verb}`, { key, body });

async function get(uid: string): Promise<Record<string, unknown>> {
  const { body } = await api.must("GET", `${base}/runs/${uid}`);
  fromJson(RunSchema, body as unknown as Json);
  return body as unknown as Record<string, unknown>;
}

async function list(query: string, key = api.adminKey): Promise<{ uids: unknown[]; next: string }> {
  const { body } = await api.must("GET", `${base}/runs${query}`, { key });
  fromJson(ListRunsResponseSchema, body as unknown as Json);
  const items = body.items as unknown as { uid: string }[];
  return { uids: items.map(({ uid }) => uid), next: body.nextPageToken };
}

const query = async (text: string, ...values: unknown[]): Promise<object[]> =>
  (await api.pool.query<object>({ text, values })).rows;

describe("M077 a run shows its progress:", () => {
  test("PLANNING, PLANNED, APPLYING, DONE", async () => {
    const planning = await seedTask(api, entityUid, { type: "network.plan" });
    expect(await get(planning)).toMatchObject({ state: "PLANNING", purpose: "apply", planTask: planning, applyTask: "" });
    await endTask(api, planning);
    const uid = await seed({ needsApproval: false });
    expect(await get(planning)).toMatchObject({ state: "STALE" });
    expect(await get(uid)).toMatchObject({
      state: "PLANNED",
      entityUid,
      entityKind: "Network",
      entityName: `net-${made}`,
      entityGeneration: 1,
      counts: { create: 1 },
      findings: [],
    });
    const applying = await seedTask(api, entityUid, { type: "network.apply", payload: { plan: uid } });
    expect(await get(uid)).toMatchObject({ state: "PLANNED", applyTask: applying });
    await query("update task_line set lease_token = gen_random_uuid() where task_uid = $1", applying);
    expect(await get(uid)).toMatchObject({ state: "APPLYING" });
    await endTask(api, applying, "done", { message: "3 created" });
    expect(await get(uid)).toMatchObject({ state: "DONE", message: "3 created", endedAt: expect.any(String) });
  });

  test.each([
    ["FAILED", "failed", { fault: { code: "cloud.quota", message: "too many" } }],
    ["STALE", "failed", { fault: { code: "deployer.plan_gone", message: "begun before" } }],
    ["STALE", "failed", { fault: { code: "terraform.plan_stale", message: "stale" } }],
    ["CANCELLED", "cancelled", {}],
  ])("%s when its apply %s with %o", async (state, ended, outcome) => {
    const uid = await seed({ needsApproval: false });
    await endTask(api, await seedTask(api, entityUid, { payload: { plan: uid } }), ended, outcome);
    expect((await get(uid))["state"]).toBe(state);
  });

  test("STALE with the cause when its apply fails after it has taken the plan", async () => {
    const uid = await seed({ needsApproval: false });
    const apply = await seedTask(api, entityUid, { payload: { plan: uid } });
    await query("update plan set taken_by = $2, taken_at = now() - interval '9 minutes' where uid = $1", uid, apply);
    const attempts = `insert into task_attempt (task_uid, attempt, started_at, ended_at, outcome)
      values ($1, 1, now() - interval '10 minutes', now() - interval '8 minutes', '{"fault": {"message": "Error 400: badRequest"}}'),
        ($1, 2, now() - interval '7 minutes', now() - interval '6 minutes', '{"fault": {"message": "no answer"}}')`;
    await query(attempts, apply);
    await endTask(api, apply, "failed", { fault: { code: "deployer.plan_gone", message: "already started" } });
    const message = "the apply failed, and its plan cannot be applied again: Error 400: badRequest";
    expect(await get(uid)).toMatchObject({ state: "STALE", message });
  });

  test.each([
    ["FAILED", "failed"],
    ["CANCELLED", "cancelled"],
  ])("%s when its plan %s, and a deletion likewise", async (state, ended) => {
    for (const type of ["network.plan", "network.destroy"]) {
      const uid = await seedTask(api, entityUid, { type });
      await endTask(api, uid, ended, { fault: { message: "no such region" } });
      expect(await get(uid)).toMatchObject({ state, message: "no such region" });
    }
  });

  test("a deletion has no plan", async () => {
    const uid = await seedTask(api, entityUid, { type: "network.destroy" });
    expect(await get(uid)).toMatchObject({ state: "PLANNED", purpose: "destroy", planTask: "", applyTask: uid });
    expect((await api.must("GET", `${base}/runs/${uid}/plan`)).body).toMatchObject({ run: { uid }, changes: [], drift: [] });
    expect(seen(await judge("discard", uid))).toEqual([409, "api.run_not_open"]);
    await endTask(api, uid);
    expect((await get(uid))["state"]).toBe("DONE");
  });

  test("M077 X015 X082 a deletion shows the resources that the state contained at its start, in dependency order", async () => {
    const resource = (type: string, instances: object[], mode = "managed"): object => ({ mode, type, name: "x", instances });
    const resources = [
      resource("aws_vpc", [{ attributes: { id: "v" } }]),
      resource("aws_subnet", [{ index_key: "a", attributes: { secret: "canary" }, dependencies: ["aws_vpc.x"] }]),
      resource("aws_nat", [{ attributes: {}, dependencies: ["aws_subnet.x", "aws_vpc.x", "data.aws_zone.x"] }]),
      resource("aws_zone", [{ attributes: {} }], "data"),
    ];
    const before = await startRun(api, agent, entityUid, { work: { type: "network.check" } });
    const post = async (run: typeof before, serial: number, state: object): Promise<void> => {
      await run.lock("held");
      const content = Buffer.from(JSON.stringify({ version: 4, serial, lineage: "l", ...state }));
      expect((await run.post(content, "held")).status).toBe(200);
      await run.unlock("held");
    };
    await post(before, 1, { resources });
    await before.finish();
    const removal = await startRun(api, agent, entityUid, { work: { type: "network.destroy", entityKind: "Network" } });
    await post(removal, 2, { resources: [] });
    const { body, text } = await api.must("GET", `${base}/runs/${removal.taskUid}/plan`);
    const plan = fromJson(RunPlanSchema, body as unknown as Json);
    expect(plan.changes.map(({ address, resourceType, action }) => [address, resourceType, action])).toEqual([
      ["aws_vpc.x", "aws_vpc", "delete"],
      ['aws_subnet.x["a"]', "aws_subnet", "delete"],
      ["aws_nat.x", "aws_nat", "delete"],
    ]);
    expect(plan.dependencies.map(({ address, needs }) => [address, needs])).toEqual([
      ["aws_vpc.x", []],
      ["aws_subnet.x", ["aws_vpc.x"]],
      ["aws_nat.x", ["aws_subnet.x"]],
    ]);
    expect(text).not.toContain("canary");
    await removal.finish();
    expect((await get(removal.taskUid))["counts"]).toMatchObject({ delete: 3 });
    const listed = (await api.must("GET", `${base}/runs`)).body as unknown as { items: JsonObject[] };
    expect(listed.items.find(({ uid }) => uid === removal.taskUid)).toMatchObject({ purpose: "destroy", counts: { delete: 3 } });
  });

  test("it follows the next task of its operation if no plan was stored", async () => {
    const uid = await seed({ hasPlan: false });
    expect((await get(uid))["state"]).toBe("PLANNED");
    await endTask(api, await seedTask(api, entityUid, { type: "network.apply" }));
    expect((await get(uid))["state"]).toBe("DONE");
  });
});

describe("X032 an approval", () => {
  test("allows exactly this plan to be applied, wakes the entity, and is audited and in the timeline", async () => {
    const uid = await seed();
    expect(await get(uid)).toMatchObject({
      state: "NEEDS_APPROVAL",
      message: expect.stringContaining("aws_vpc.main: would be replaced"),
      findings: [{ rule: "no-loss", severity: "must", path: "aws_vpc.main" }],
      expiresAt: expect.any(String),
    });
    await clearWakes(api);
    const answer = await judge("approve", uid, api.adminKey, { comment: "seen with Bob" });
    expect(answer).toMatchObject({ status: 200, body: { state: "PLANNED", approvedBy: "admin", comment: "seen with Bob" } });
    expect((await readWakes(api)).get(entityUid)).toBe(1);
    const { operation } = await get(uid);
    const { body } = await api.must("GET", `${base}/operations/${String(operation)}/timeline`);
    expect(body.items).toContainEqual(
      expect.objectContaining({
        source: "api",
        reason: "RunApproved",
        actor: "admin",
        message: expect.stringContaining("seen with Bob"),
      }),
    );
    expect(
      await query("select verb, kind, name, outcome from audit where request_id = $1", answer.headers["x-request-id"]),
    ).toEqual([{ verb: "approve", kind: "Run", name: uid, outcome: "allowed" }]);
  });

  test("is given once", async () => {
    const uid = await seed();
    const answers = await Promise.all([1, 2, 3].map(() => judge("approve", uid)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(await query("select from event where entity_uid = $1 and reason = 'RunApproved'", entityUid)).toHaveLength(1);
  });

  test("of a plan that requires none is rejected", async () => {
    expect(seen(await judge("approve", await seed({ needsApproval: false })))).toEqual([409, "api.run_not_open"]);
  });

  test("is rejected after the plan has expired", async () => {
    const uid = await seed({ expiresInSeconds: -1 });
    expect(await get(uid)).toMatchObject({ state: "STALE", message: expect.stringContaining("in time") });
    expect(seen(await judge("approve", uid))).toEqual([409, "api.run_not_open"]);
  });

  test("does not apply to another spec, earlier or later", async () => {
    const [before, after] = [await seed(), entityUid];
    await api.must("PATCH", `${base}/networks/${after}`, { body: { spec: { infra: { approval: "always" } } } });
    expect((await get(before))["state"]).toBe("STALE");
    expect(seen(await judge("approve", before))).toEqual([409, "api.run_not_open"]);
    const newer = await seed();
    expect((await judge("approve", newer)).status).toBe(200);
    await api.must("PATCH", `${base}/networks/${after}`, { body: { spec: { infra: { approval: "risky" } } } });
    expect((await get(newer))["state"]).toBe("STALE");
  });

  test("does not apply to another state", async () => {
    const uid = await seed();
    expect((await get(uid))["state"]).toBe("NEEDS_APPROVAL");
    const run = await startRun(api, agent, entityUid, { work: { type: "network.check" } });
    await run.lock("a");
    await run.post(renderTfState(1), "a");
    await run.finish();
    expect((await get(uid))["state"]).toBe("STALE");
    expect(seen(await judge("approve", uid))).toEqual([409, "api.run_not_open"]);
    expect((await judge("approve", await seed())).status).toBe(200);
  });

  test("is not required when a newer plan exists or the operation has ended", async () => {
    const first = await seed();
    const second = await seed();
    expect(seen(await judge("approve", first))).toEqual([409, "api.run_not_open"]);
    const [row] = (await query("select operation_uid as uid from task where uid = $1", second)) as [{ uid: string }];
    for (const [state, expected] of [
      ["FAILED", "STALE"],
      ["CANCELLED", "CANCELLED"],
    ] as const) {
      await setOperationState(api, row.uid, state);
      expect((await get(second))["state"]).toBe(expected);
      expect(seen(await judge("approve", second))).toEqual([409, "api.run_not_open"]);
    }
  });

  test("requires the admin role in the entity's environment", async () => {
    entityUid = await createNetwork("prod");
    const uid = await seed();
    expect(seen(await judge("approve", uid, editor.key))).toEqual([403, "api.denied"]);
    const staging = await api.createPerson(`stage-${made}`, [{ project: "default", role: "admin", environment: "staging" }]);
    expect(seen(await judge("approve", uid, staging.key))).toEqual([404, "api.not_found"]);
    const mixed = await api.createPerson(`mixed-${made}`, [
      { project: "default", role: "admin", environment: "staging" },
      { project: "default", role: "viewer", environment: "prod" },
    ]);
    expect(seen(await judge("approve", uid, mixed.key))).toEqual([403, "api.denied"]);
    const prod = await api.createPerson(`prod-${made}`, [{ project: "default", role: "admin", environment: "prod" }]);
    expect((await judge("approve", uid, prod.key)).status).toBe(200);
  });
});

describe("X032 discarding a run", () => {
  test("prevents its plan from being applied, approved or not, and wakes the entity", async () => {
    for (const approve of [false, true]) {
      const uid = await seed();
      if (approve) await judge("approve", uid);
      await clearWakes(api);
      const answer = await judge("discard", uid, editor.key, { comment: "not now" });
      expect(answer.body).toMatchObject({ state: "DISCARDED", discardedBy: "eddy", message: "discarded by eddy: not now" });
      expect((await readWakes(api)).get(entityUid)).toBe(1);
      expect(await query("select sealed, content from plan where uid = $1", uid)).toEqual([{ sealed: null, content: null }]);
      for (const verb of ["approve", "discard"]) expect(seen(await judge(verb, uid))).toEqual([409, "api.run_not_open"]);
    }
    expect(await query("select from event where entity_uid = $1 and reason = 'RunDiscarded'", entityUid)).toHaveLength(2);
  });

  test("is too late once the plan is in use; one of two concurrent requests wins", async () => {
    const plan = await seed({ needsApproval: false });
    const run = await startRun(api, agent, entityUid, { work: { type: "network.apply", payload: { plan } } });
    const [taken, discarded] = await Promise.all([run.send("GET", { query: `/plans/${plan}` }), judge("discard", plan)]);
    expect([taken.status, discarded.status]).toBeOneOf([
      [200, 409],
      [410, 200],
    ]);
    expect(seen(await judge("discard", plan))).toEqual([409, "api.run_not_open"]);
  });
});

describe("M077 runs are listed", () => {
  test("newest first, page by page, by entity and state", async () => {
    const uids = [await seed(), await seed(), await seed()].toReversed();
    const of = `?entity=${entityUid}`;
    expect((await list(of)).uids).toEqual(uids);
    const page = await list(`${of}&pageSize=2`);
    expect([...page.uids, ...(await list(`${of}&pageSize=2&pageToken=${page.next}`)).uids]).toEqual(uids);
    expect((await list(`${of}&state=NEEDS_APPROVAL`)).uids).toEqual(uids.slice(0, 1));
    expect((await list(`${of}&state=DONE`)).uids).toEqual([]);
    for (const bad of ["?state=done", "?entity=net-1", "?pageSize=1001"])
      expect(seen(await api.call("GET", `${base}/runs${bad}`))).toEqual([400, "api.invalid"]);
    expect(seen(await api.call("GET", `${base}/runs?pageSize=2&pageToken=${page.next}`))).toEqual([400, "api.bad_page_token"]);
  });

  test("for callers with access to the entity's environment, even if the entity is gone", async () => {
    entityUid = await createNetwork("prod");
    const uid = await seed();
    for (const [environment, expected] of [
      ["prod", [uid]],
      ["staging", []],
    ] as const) {
      const { key } = await api.createPerson(`see-${environment}`, [{ project: "default", role: "viewer", environment }]);
      expect((await list(`?entity=${entityUid}`, key)).uids).toEqual(expected);
      const status = expected.length > 0 ? 200 : 404;
      for (const path of [uid, `${uid}/plan`])
        expect((await api.call("GET", `${base}/runs/${path}`, { key })).status).toBe(status);
    }
    await query("delete from entity where uid = $1", entityUid);
    expect(await get(uid)).toMatchObject({ environment: "prod", entityName: `net-${made}`, state: "STALE" });
  });
});

test("M008 runs are read and approved over Connect as over REST", async () => {
  const uid = await seed();
  const place = { project: "default", name: uid };
  const call = (kind: string, verb: string, message: JsonObject): ReturnType<typeof callConnect> =>
    callConnect(api.url, getMethod(kind, verb), message, { key: api.adminKey });
  const plan = await call("RunPlan", "get", place);
  expect(plan).toMatchObject({ code: "ok", body: { run: { uid }, changes: [{ address: "aws_vpc.main" }] } });
  fromJson(RunPlanSchema, plan.body);
  expect(await call("Run", "approve", place)).toMatchObject({ code: "ok", body: { state: "PLANNED" } });
  expect(await call("Run", "list", { project: "default", entity: entityUid })).toMatchObject({ body: { items: [{ uid }] } });
  expect((await call("Run", "list", { project: "default", pageSize: 1001 })).code).toBe("InvalidArgument");
});
