import type { JsonObject } from "@cloudwright/contract";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";

let api: TestApi;
let made = 0;
let path: string;
let name: string;
const base = "/v1/projects/default";

beforeAll(async () => {
  api = await startTestApi();
  await api.must("POST", `${base}/accounts`, { body: { metadata: { name: "acme" }, spec: { simulated: true, aws: {} } } });
  await api.must("POST", `${base}/networks`, {
    body: { metadata: { name: "net" }, spec: { account: "acme", region: "eu-west-1" } },
  });
});
afterAll(() => api.close());

const service = { namespace: "web", name: "front", port: "80" };
const upgradeSpec = { gates: [{ name: "smoke", http: { service } }] };

beforeEach(async () => {
  made += 1;
  name = `dev-${made}`;
  path = `${base}/clusters/${name}`;
  const spec = { network: "net", version: "1.33", upgrade: upgradeSpec };
  await api.must("POST", `${base}/clusters`, { body: { metadata: { name }, spec } });
  await setStatus({ phase: "RUNNING", version: "1.33.4" });
  await api.must("POST", `${path}:upgrade`, { body: { version: "1.35" } });
});

const setStatus = (status: JsonObject) =>
  api.pool.query({
    text: "update entity set object = jsonb_set(object::jsonb, '{status}', $1::jsonb)::json where kind = 'Cluster' and name = $2",
    values: [JSON.stringify(status), name],
  });
const pause = (phase: string, version = "1.33.4") =>
  setStatus({ phase, version, conditions: [{ type: "UpgradePaused", status: "True", reason: "GateFailed" }] });
const upgrade = (body: JsonObject, key?: string) =>
  api.call("POST", `${path}:upgrade`, { body, ...(key === undefined ? {} : { key }) });
const operationOf = async () => {
  const { body } = await api.must("GET", path);
  return (await api.must("GET", `${base}/operations/${body.metadata.operation ?? ""}`)).body;
};

test("X040 a paused upgrade is resumed in its operation; skipped gates are kept and recorded", async () => {
  await pause("RUNNING");
  const { metadata } = await operationOf();
  const resumed = await upgrade({ resume: true });
  expect([resumed.status, resumed.headers["operation-location"]]).toEqual([
    202,
    expect.stringContaining(metadata.name ?? "?") as string,
  ]);
  expect((await operationOf()).spec).toMatchObject({ resumes: 1, skipGates: [] });
  expect((await upgrade({ resume: true, skipGates: ["smoke"] })).status).toBe(202);
  expect((await operationOf()).spec).toMatchObject({ resumes: 2, skipGates: ["smoke"] });
  const { rows } = await api.pool.query<{ reason: string; message: string }>({
    text: "select reason, message from event where reason in ('UpgradeResumed', 'GatesSkipped') order by uid",
    values: [],
  });
  expect(rows.map(({ reason }) => reason)).toEqual(["UpgradeResumed", "GatesSkipped"]);
  expect(rows[1]?.message).toContain("skipping smoke");
  const audits = await api.pool.query({
    text: "select 1 from audit where verb = 'upgrade' and kind = 'Cluster' and name = $1 and outcome = 'allowed'",
    values: [name],
  });
  expect(audits.rowCount).toBe(3);
});

test("X040 an upgrade that is not paused cannot be resumed, and unknown gates cannot be skipped", async () => {
  const early = await upgrade({ resume: true });
  expect([early.status, early.body.code]).toEqual([409, "api.upgrade_not_paused"]);
  await pause("RUNNING");
  const unknown = await upgrade({ resume: true, skipGates: ["other"] });
  expect([unknown.status, unknown.body.fields.map(({ field }) => field)]).toEqual([400, ["skipGates"]]);
  for (const body of [{}, { version: "1.34", resume: true }, { skipGates: ["smoke"] }, { resume: true, abort: true }])
    expect([body, (await upgrade(body as JsonObject)).status]).toEqual([body, 400]);
  expect((await operationOf()).spec["resumes"]).toBeUndefined();
  const viewer = await api.createPerson(`viewer-${made}`, [{ project: "default", role: "viewer" }]);
  expect((await upgrade({ resume: true }, viewer.key)).status).toBe(403);
});

test("X040 an upgrade that has not changed anything is aborted by setting the version back; after a change, aborting is refused", async () => {
  await pause("UPGRADING");
  const late = await upgrade({ abort: true });
  expect([late.status, late.body.code]).toEqual([409, "api.upgrade_not_paused"]);
  await pause("RUNNING");
  const aborted = await upgrade({ abort: true });
  expect([aborted.status, aborted.body.spec["version"]]).toEqual([202, "1.33"]);
  expect((await upgrade({ abort: true })).body.code).toBe("api.upgrade_not_paused");
});

test("X040 invalid gates are refused with the field and a reason", async () => {
  const put = (gate: JsonObject) => api.call("PATCH", path, { body: { spec: { upgrade: { gates: [gate] } } } });
  const cases: [JsonObject, string][] = [
    [{ name: "a" }, "spec.upgrade.gates[0]"],
    [{ name: "A", http: { service } }, "spec.upgrade.gates[0].name"],
    [{ name: "a", when: ["later"], http: { service } }, "spec.upgrade.gates[0].when"],
    [{ name: "a", http: {} }, "spec.upgrade.gates[0].http"],
    [{ name: "a", http: { service, path: "/../../secrets" } }, "spec.upgrade.gates[0].http.path"],
    [{ name: "a", http: { url: "file:///etc/passwd" } }, "spec.upgrade.gates[0].http.url"],
    [
      { name: "a", metric: { service, query: "up", comparison: "about", threshold: 1 } },
      "spec.upgrade.gates[0].metric.comparison",
    ],
    [
      { name: "a", metric: { service, query: "up", comparison: "<", threshold: "NaN" } },
      "spec.upgrade.gates[0].metric.threshold",
    ],
    [{ name: "a", job: { namespace: "x" } }, "spec.upgrade.gates[0].job.image"],
  ];
  for (const [gate, field] of cases) {
    const { status, body } = await put(gate);
    expect([field, status, body.code]).toEqual([field, 400, "api.invalid"]);
    expect(body.fields[0]?.field).toContain(field);
  }
  const good = { name: "errors", when: ["after"], metric: { service, query: "up", comparison: "<", threshold: 0.25 } };
  expect((await put(good)).status).toBe(202);
  const { body } = await api.must("GET", path);
  expect(body.spec["upgrade"]).toMatchObject({ gates: [{ name: "errors", metric: { threshold: 0.25 } }] });
});
