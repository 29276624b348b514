import type { JsonObject } from "@cloudwright/contract";
import { createUid, Secret, systemClock } from "@cloudwright/platform";
import { rewrapSecrets, type KeyRing } from "@cloudwright/store";
import { reapTasks } from "@cloudwright/tasks";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../../testing/test-api.ts";
import type { TestAnswer } from "../../testing/http-call.ts";
import { startRun, type StateRun } from "../../testing/state-run.ts";
import { joinTestAgent } from "../../testing/test-agent.ts";
import { seedDrift } from "../../testing/seed-run.ts";
import { readOperation } from "../../testing/work.ts";
import { createTestJudge } from "../../testing/test-judge.ts";

const base = "/v1/projects/default";
const judge = createTestJudge();
let api: TestApi;
let agent: string;
let account: string;
let made = 0;

beforeAll(async () => {
  api = await startTestApi({ judge, maxStateBytes: 100_000 });
  agent = await (await joinTestAgent(api, "system", "ada")).sign();
  account = "main";
  await api.must("POST", `${base}/accounts`, { body: { metadata: { name: account }, spec: { simulated: true, aws: {} } } });
});
beforeEach(() => {
  judge.say({});
  judge.plans.length = 0;
});
afterAll(() => api.close());

const seen = ({ status, body }: TestAnswer): [number, string] => [status, body?.code ?? ""];
const parcel = Buffer.from("a saved plan with canary-5c1e");

/** Renders a plan in the format that agents send. */
function renderPlan(part: JsonObject = {}): Buffer {
  const change = {
    address: "aws_vpc.main",
    resourceType: "aws_vpc",
    action: "update",
    attributes: [
      { path: "tags", before: { a: 1 }, after: null },
      { path: "password", before: "canary-77ab", after: "canary-77ac", sensitive: true },
    ],
    replacePaths: ["cidr_block"],
    values: { before: { cidr_block: "10.0.0.0/16" }, after: null },
  };
  const counts = { create: 0, update: 1, replace: 0, delete: 0, import: 0 };
  const plan = { serial: 0, lineage: "", counts, changes: [change], drift: [], parcel: parcel.toString("base64") };
  return Buffer.from(JSON.stringify({ ...plan, ...part }));
}

/** Creates a network with a pending operation. */
async function createNetwork(infra: JsonObject = {}): Promise<string> {
  made += 1;
  const body = { metadata: { name: `net-${made}` }, spec: { account, region: "eu-west-1", infra } };
  return (await api.must("POST", `${base}/networks`, { body })).body.metadata.uid ?? "";
}

const startPlanning = async (entityUid: string, operationUid: string | null = null): Promise<StateRun> =>
  startRun(api, agent, entityUid, { work: { type: "network.plan", entityKind: "Network", operationUid } });
const put = (run: StateRun, body = renderPlan(), plan = run.taskUid): Promise<TestAnswer> =>
  run.send("PUT", { body, query: `/plans/${plan}` });
const take = (run: StateRun, plan: string): Promise<TestAnswer> => run.send("GET", { query: `/plans/${plan}` });

/** Stores a plan and starts the run that applies it. */
async function startApplying(infra: JsonObject = {}): Promise<{ plan: string; run: StateRun }> {
  const entityUid = await createNetwork(infra);
  const planning = await startPlanning(entityUid);
  expect((await put(planning)).status).toBe(204);
  await planning.finish();
  return { plan: planning.taskUid, run: await startApply(entityUid, planning.taskUid) };
}

const startApply = (entityUid: string, plan: string): Promise<StateRun> =>
  startRun(api, agent, entityUid, { work: { type: "network.apply", entityKind: "Network", payload: { plan } } });

async function readPlan(uid: string): Promise<Record<string, unknown>> {
  const { rows } = await api.pool.query<Record<string, unknown>>({ text: "select * from plan where uid = $1", values: [uid] });
  return rows[0] ?? {};
}

describe("M071 a saved plan", () => {
  test("is returned unchanged to the task that names it, once", async () => {
    const { plan, run } = await startApplying();
    expect((await readPlan(plan))["taken_by"]).toBe(null);
    const first = await take(run, plan);
    expect([first.status, first.text, first.headers["content-type"]]).toEqual([
      200,
      parcel.toString("utf8"),
      "application/octet-stream",
    ]);
    expect(seen(await take(run, plan))).toEqual([410, "api.plan_gone"]);
    expect(await readPlan(plan)).toMatchObject({ taken_by: run.taskUid, content: null, sealed: null });
  });

  test("is returned to only one of many concurrent requests", async () => {
    const { plan, run } = await startApplying();
    const answers = await Promise.all(Array.from({ length: 8 }, () => take(run, plan)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array<number>(7).fill(410)]);
  });

  test("that was returned is not returned again to the next attempt, nor to another task that names it", async () => {
    const { plan, run } = await startApplying();
    await take(run, plan);
    await api.pool.query({
      text: "update task_line set leased_until = now() - interval '1 hour' where task_uid = $1",
      values: [run.taskUid],
    });
    await reapTasks({ database: api.pool, random: () => 0 }, 0);
    await api.pool.query({ text: "update task_line set delayed_until = now() where task_uid = $1", values: [run.taskUid] });
    const again = await startRun(api, agent, run.entityUid, { task: false });
    expect(again.taskUid).toBe(run.taskUid);
    expect(seen(await take(again, plan))).toEqual([410, "api.plan_gone"]);
    expect(seen(await take(run, plan))).toEqual([401, "api.run_ended"]);
    await again.finish();
    expect(seen(await take(await startApply(run.entityUid, plan), plan))).toEqual([410, "api.plan_gone"]);
  });

  test("is not consumed by a HEAD request", async () => {
    const { plan, run } = await startApplying();
    const head = await run.send("HEAD", { query: `/plans/${plan}` });
    expect([head.status, head.headers["allow"]]).toEqual([405, "GET, PUT"]);
    expect((await take(run, plan)).status).toBe(200);
  });

  test("is stored encrypted, and neither database nor responses contain a sensitive value or a complete object", async () => {
    const { plan } = await startApplying();
    const row = await readPlan(plan);
    for (const part of [row["content"], row["sealed"]]) expect((part as Buffer).includes("canary")).toBe(false);
    const { text } = await api.must("GET", `${base}/runs/${plan}/plan`);
    expect(JSON.stringify(row["changes"]) + text).not.toMatch(/canary|10\.0\.0\.0/);
    expect(JSON.parse(text)).toMatchObject({
      changes: [
        {
          address: "aws_vpc.main",
          attributes: [
            { path: "tags", before: { a: 1 }, after: null, sensitive: false },
            { path: "password", before: null, after: null, sensitive: true },
          ],
          replacePaths: ["cidr_block"],
        },
      ],
      run: { counts: { update: 1 } },
    });
  });

  test("that its task sends again replaces the first", async () => {
    const run = await startPlanning(await createNetwork());
    await put(run);
    const later = Buffer.from("later");
    expect((await put(run, renderPlan({ serial: 3, parcel: later.toString("base64") }))).status).toBe(204);
    await run.finish();
    const applying = await startApply(run.entityUid, run.taskUid);
    expect((await readPlan(run.taskUid))["serial"]).toBe(3);
    expect((await take(applying, run.taskUid)).text).toBe("later");
  });

  test("M097 is encrypted with the new key when keys are rotated", async () => {
    const { plan, run } = await startApplying();
    const { keyRing } = api.deps;
    const ring: KeyRing = { primary: "next", keys: new Map([["next", new Secret(randomBytes(32))], ...keyRing.keys]) };
    const before = await readPlan(plan);
    expect(await rewrapSecrets(api.pool, ring)).toBeGreaterThan(0);
    const after = await readPlan(plan);
    expect([after["content"], (after["sealed"] as Buffer).equals(before["sealed"] as Buffer)]).toEqual([
      before["content"],
      false,
    ]);
    await rewrapSecrets(api.pool, { primary: keyRing.primary, keys: ring.keys });
    expect((await take(run, plan)).text).toBe(parcel.toString("utf8"));
  });
});

describe("X032 the plan endpoint accepts", () => {
  test("only the planning task, for its own plan", async () => {
    const applying = await startRun(api, agent, await createNetwork());
    expect(seen(await put(applying))).toEqual([403, "api.plan_refused"]);
    const planning = await startPlanning(await createNetwork());
    for (const other of [applying.taskUid, "nothing"])
      expect(seen(await put(planning, renderPlan(), other))).toEqual([403, "api.plan_refused"]);
    expect(await readPlan(applying.taskUid)).toEqual({});
  });

  test("only the task that was created to apply the plan", async () => {
    const { plan, run } = await startApplying();
    const others = [createUid(systemClock.now()), "nothing"];
    for (const other of others) expect(seen(await take(run, other))).toEqual([403, "api.plan_refused"]);
    const stranger = await startApply(await createNetwork(), plan);
    expect(seen(await take(stranger, plan))).toEqual([410, "api.plan_gone"]);
    expect((await take(run, plan)).status).toBe(200);
  });

  test("nobody without the lease", async () => {
    const run = await startPlanning(await createNetwork());
    const anonymous = { method: "PUT", path: `${run.path}/plans/${run.taskUid}`, body: renderPlan(), key: undefined };
    expect(seen(await api.send(anonymous))).toEqual([401, "api.run_ended"]);
    const lapsed = "update task_line set leased_until = now() - interval '1 second' where task_uid = $1";
    await api.pool.query({ text: lapsed, values: [run.taskUid] });
    expect(seen(await put(run))).toEqual([503, "api.lease_lapsed"]);
    await run.finish();
    expect(seen(await put(run))).toEqual([401, "api.run_ended"]);
    expect(await readPlan(run.taskUid)).toEqual({});
  });

  test.each([
    ["nothing", Buffer.alloc(0)],
    ["no JSON", Buffer.from("canary")],
    ["a list", Buffer.from("[]")],
    ["a negative serial", renderPlan({ serial: -1 })],
    ["a serial that is text", renderPlan({ serial: "1" })],
    ["a negative count", renderPlan({ counts: { create: -1 } })],
    ["malformed changes", renderPlan({ changes: [1] })],
    ["a change with fields of the wrong type", renderPlan({ changes: [{ address: 1 }] })],
    ["no parcel", renderPlan({ parcel: "" })],
    ["a plan file that is not base64", renderPlan({ parcel: "canary!!" })],
  ])("no plan with %s", async (_what, body) => {
    const run = await startPlanning(await createNetwork());
    const answer = await put(run, body);
    expect(seen(answer)).toEqual([400, "api.plan_malformed"]);
    expect(answer.text).not.toContain("canary");
    expect(await readPlan(run.taskUid)).toEqual({});
    await run.finish();
  });

  test("no plan that is too large", async () => {
    const run = await startPlanning(await createNetwork());
    const large = renderPlan({ parcel: "A".repeat(200_000) });
    expect(seen(await put(run, large))).toEqual([413, "api.body_too_large"]);
    expect((await put(run, renderPlan({ parcel: "A".repeat(150_000) }))).status).toBe(204);
  });
});

describe("X035 an uploaded plan is judged", () => {
  test("by the policies, with the entity, its parents, complete objects and what the request allows", async () => {
    const entityUid = await createNetwork();
    const { body } = await api.must("GET", `${base}/networks/${entityUid}`);
    const path = `${base}/networks/${entityUid}?allow=replace,delete`;
    const changed = await api.must("PATCH", path, { body: { spec: { infra: { drift: "correct" } } } });
    const operation = await api.must("GET", String(changed.headers["operation-location"]));
    expect(operation.body.spec["allow"]).toEqual(["replace", "delete"]);
    await put(await startPlanning(entityUid, operation.body.metadata.uid ?? ""), renderPlan({ upgradedFrom: "v0.1.0" }));
    expect(judge.plans).toMatchObject([
      {
        allow: ["replace", "delete"],
        upgradedFrom: "v0.1.0",
        placed: {
          kind: "Network",
          metadata: { name: body.metadata.name },
          spec: { region: "eu-west-1" },
          account: { kind: "Account", spec: { simulated: true } },
          parents: [{ kind: "Account", metadata: { name: account } }],
        },
        changes: [
          {
            address: "aws_vpc.main",
            type: "aws_vpc",
            action: "update",
            replacePaths: ["cidr_block"],
            before: { cidr_block: "10.0.0.0/16" },
            after: null,
          },
        ],
      },
    ]);
  });

  test.each([
    [true, "must", {}],
    [false, "should", {}],
    [true, "", { approval: "always" }],
    [false, "", { approval: "risky" }],
  ] as const)("and requires approval (%s) for a finding %s and %o", async (needed, severity, infra) => {
    if (severity !== "") judge.say({ plan: [{ severity, path: "aws_vpc.main" }] });
    const { plan, run } = await startApplying(infra);
    const row = await readPlan(plan);
    expect([row["needs_approval"], (row["findings"] as object[]).length]).toEqual([needed, severity === "" ? 0 : 1]);
    expect(seen(await take(run, plan))).toEqual(needed ? [409, "api.plan_not_approved"] : [200, ""]);
  });

  test("and does not wait for approval if it changes nothing, even if every change requires approval", async () => {
    const run = await startPlanning(await createNetwork({ approval: "always" }));
    await put(run, renderPlan({ counts: {}, changes: [] }));
    expect((await readPlan(run.taskUid))["needs_approval"]).toBe(false);
  });
});

describe("X080 a plan that would undo a change made outside the platform", () => {
  const attribute = { path: 'tags["team"]', before: "blue", after: "red" };
  const drift = { address: "aws_vpc.main", resourceType: "aws_vpc", action: "update", attributes: [attribute] };
  const undo = {
    address: "aws_vpc.main",
    resourceType: "aws_vpc",
    action: "update",
    attributes: [{ path: 'tags["team"]', before: "red", after: "blue" }],
  };
  const gone = { address: "aws_route.out", resourceType: "aws_route", action: "delete", attributes: [] };
  const recreate = { address: "aws_route.out", resourceType: "aws_route", action: "create", attributes: [] };

  async function plan(part: JsonObject, infra: JsonObject = {}, entityUid?: string, operationUid: string | null = null) {
    const run = await startPlanning(entityUid ?? (await createNetwork(infra)), operationUid);
    expect((await put(run, renderPlan(part))).status).toBe(204);
    await run.finish();
    return { uid: run.taskUid, row: await readPlan(run.taskUid), run };
  }

  test("waits for approval and says which change it would undo", async () => {
    const { uid, row } = await plan({ changes: [undo, recreate], drift: [drift, gone] });
    expect(row).toMatchObject({
      needs_approval: true,
      counts: { drifted: 2, overwritten: 2 },
      findings: [
        {
          rule: "drift-needs-approval",
          severity: "must",
          path: "aws_vpc.main",
          message: expect.stringContaining('tags["team"]'),
        },
        { rule: "drift-needs-approval", path: "aws_route.out", message: expect.stringContaining("deleted outside") },
      ],
    });
    const { body } = await api.must("GET", `${base}/runs/${uid}/plan`);
    expect(body).toMatchObject({
      run: { counts: { drifted: 2, overwritten: 2 } },
      drift: [
        { attributes: [{ before: "blue", after: "red" }], overwrittenPaths: ['tags["team"]'] },
        { overwrittenPaths: ["*"] },
      ],
    });
  });

  test("needs no approval if the drift policy is `correct`, and still records the drift", async () => {
    const { row } = await plan({ changes: [undo], drift: [drift] }, { drift: "correct" });
    expect(row).toMatchObject({ needs_approval: false, findings: [], counts: { drifted: 1, overwritten: 1 } });
  });

  test.each([
    ["another attribute", { changes: [{ ...undo, attributes: [{ path: "cidr_block", before: 1, after: 2 }] }], drift: [drift] }],
    ["an attribute with a similar name", { changes: [{ ...undo, attributes: [{ path: "tags_all" }] }], drift: [drift] }],
    [
      "a value that the provider computes",
      { changes: [{ ...undo, attributes: [{ ...attribute, unknown: true, computed: true }] }], drift: [drift] },
    ],
    ["a resource that the plan deletes anyway", { changes: [{ ...undo, action: "delete" }], drift: [drift] }],
    ["nothing", { changes: [], drift: [drift, gone] }],
  ])("does not include a plan that changes %s", async (_what, part) => {
    expect((await plan(part)).row).toMatchObject({ needs_approval: false, findings: [], counts: { overwritten: 0 } });
  });

  test("needs no second approval for reported changes that a user asked to correct, but needs one for any other", async () => {
    const entityUid = await createNetwork();
    const report = [{ address: "aws_vpc.main", resourceType: "aws_vpc", action: "update", paths: ["tags"] }];
    const uid = await seedDrift(api, entityUid, report);
    const answer = await api.must("POST", `${base}/drifts/${uid}:correct`, { body: {} });
    const operation = (await readOperation(api, answer)).metadata.uid ?? null;
    expect((await plan({ changes: [undo], drift: [drift] }, {}, entityUid, operation)).row).toMatchObject({
      needs_approval: false,
    });
    const { row } = await plan({ changes: [undo, recreate], drift: [drift, gone] }, {}, entityUid, operation);
    expect(row).toMatchObject({ needs_approval: true, findings: [{ path: "aws_route.out" }] });
  });

  test("needs no approval for resources whose replacement the request allows", async () => {
    const entityUid = await createNetwork();
    const answer = await api.must("PATCH", `${base}/networks/${entityUid}?allow=replace`, { body: { spec: { zones: ["a"] } } });
    const operation = (await readOperation(api, answer)).metadata.uid ?? null;
    const replace = { ...undo, action: "replace" };
    expect((await plan({ changes: [replace], drift: [drift] }, {}, entityUid, operation)).row).toMatchObject({
      needs_approval: false,
    });
    expect((await plan({ changes: [undo], drift: [drift] }, {}, entityUid, operation)).row).toMatchObject({
      needs_approval: true,
    });
  });

  test("X010 does not include what an interrupted apply of the platform itself changed", async () => {
    const entityUid = await createNetwork();
    const first = await plan(
      {
        changes: [
          { ...undo, attributes: [{ path: 'tags["team"]', before: "blue", after: "red" }] },
          { ...recreate, action: "replace" },
        ],
      },
      {},
      entityUid,
    );
    const apply = await startApply(entityUid, first.uid);
    await take(apply, first.uid);
    await apply.finish("cancelled");
    const own = await plan({ changes: [undo, recreate], drift: [drift, gone] }, {}, entityUid);
    expect(own.row).toMatchObject({ needs_approval: false, counts: { drifted: 2, overwritten: 0 } });
    const other = { ...drift, attributes: [{ ...attribute, after: "green" }] };
    expect((await plan({ changes: [undo], drift: [other] }, {}, entityUid)).row).toMatchObject({ needs_approval: true });
  });
});
