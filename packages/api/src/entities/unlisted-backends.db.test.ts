import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "@cloudwright/contract";
import { startRun } from "../testing/state-run.ts";
import { joinTestAgent, type TestAgent } from "../testing/test-agent.ts";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import { openBackend } from "./state-backend.ts";

let api: TestApi;
let agent: TestAgent;

const settings = { host: "db.example.org", database: "states", user: "tf" };

beforeAll(async () => {
  api = await startTestApi();
  agent = await joinTestAgent(api, "system", "shared");
  const body = { metadata: { name: "prod" }, spec: { simulated: true, aws: {} } };
  await api.must("POST", "/v1/projects/default/accounts", { body });
});
afterAll(() => api.close());

/** Creates a network as an earlier release stored it: with the backend's type and settings, and without a name. */
async function createOldNetwork(name: string, backend: JsonObject): Promise<string> {
  const body = { metadata: { name }, spec: { account: "prod", region: "eu-west-1" } };
  const { uid = "" } = (await api.must("POST", "/v1/projects/default/networks", { body })).body.metadata;
  const text = "update entity set object = jsonb_set(object::jsonb, '{spec,infra}', $2::jsonb)::json where uid = $1";
  await api.pool.query({ text, values: [uid, JSON.stringify({ backend })] });
  return uid;
}

const open = (uid: string, backend: JsonObject, unlistedBackends: "keep" | "refuse") =>
  openBackend({ ...api.deps, unlistedBackends }, { project: "default", kind: "Network", uid }, backend);

test("X062 an entity from before the list of backends keeps its state, which cannot be moved", async () => {
  const uid = await createOldNetwork("old", { type: "pg", settings });
  const opened = { ...settings, schema_name: `network_${uid.replaceAll("-", "_")}` };
  expect(await open(uid, { type: "pg", settings }, "keep")).toEqual({ name: "", type: "pg", settings: opened, secrets: {} });
  const run = await startRun(api, await agent.sign(), uid);
  expect(run.path).toContain(uid);
  const path = "/v1/projects/default/networks/old";
  for (const backend of [{ type: "gcs" }, { settings: { host: "evil.example" } }, { name: "states" }]) {
    const answer = await api.call("PATCH", path, { body: { spec: { infra: { backend } } } });
    expect([backend, answer.status]).toEqual([backend, 400]);
  }
  const label = { metadata: { labels: { tier: "test" } } };
  expect((await api.call("PATCH", path, { body: label })).status).toBe(202);
});

test("X062 the server can refuse backends that no operator has allowed, until one allows them with the same settings", async () => {
  const uid = await createOldNetwork("strict", { type: "pg", settings });
  const backend = { type: "pg", settings };
  await expect(open(uid, backend, "refuse")).rejects.toMatchObject({ code: "api.backend_refused" });
  const spec = { type: "pg", settings, projects: ["default"], password: "of-the-operator" };
  await api.must("POST", "/v1/backends", { body: { metadata: { name: "allowed" }, spec } });
  expect(await open(uid, backend, "refuse")).toEqual({
    name: "allowed",
    type: "pg",
    settings: { ...settings, schema_name: `network_${uid.replaceAll("-", "_")}` },
    secrets: { PGPASSWORD: "of-the-operator" },
  });
  const other = { type: "pg", settings: { ...settings, host: "evil.example" } };
  await expect(open(uid, other, "refuse")).rejects.toMatchObject({ code: "api.backend_refused" });
});

test("X062 a Unix socket is refused even if it was stored by an earlier release", async () => {
  const backend = { type: "pg", settings: { ...settings, host: "/var/run/postgresql" } };
  await expect(open(await createOldNetwork("socket", backend), backend, "keep")).rejects.toMatchObject({
    code: "api.backend_refused",
  });
});

test.each([
  ["spec.settings.host", { type: "pg", settings: { ...settings, host: "/run/postgresql" } }],
  ["spec.settings.host", { type: "pg", settings: { ...settings, host: "a,b" } }],
  ["spec.settings.region", { type: "s3", settings: { bucket: "b" } }],
  ["spec.settings.key", { type: "s3", settings: { bucket: "b", region: "r", key: "k" } }],
  ["spec.settings.access_key", { type: "s3", settings: { bucket: "b", region: "r", access_key: "k" } }],
  ["spec.prefix", { type: "pg", settings, prefix: "a" }],
  ["spec.password", { type: "gcs", settings: { bucket: "b" }, password: "p" }],
] as [string, JsonObject][])("X062 an operator cannot create a backend with an invalid %s", async (field, spec) => {
  const { status, body } = await api.call("POST", "/v1/backends", { body: { metadata: { name: "bad" }, spec } });
  expect([status, body.fields.map((one) => one.field)]).toEqual([400, [field]]);
});
