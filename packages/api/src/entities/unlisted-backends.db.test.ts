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

/** Creates a network as an earlier release stored it: with the backend's type and settings, but without the backend's name. */
async function createOldNetwork(name: string, backend: JsonObject): Promise<string> {
  const body = { metadata: { name }, spec: { account: "prod", region: "eu-west-1" } };
  const { uid = "" } = (await api.must("POST", "/v1/projects/default/networks", { body })).body.metadata;
  const text = "update entity set object = jsonb_set(object::jsonb, '{spec,infra}', $2::jsonb)::json where uid = $1";
  await api.pool.query({ text, values: [uid, JSON.stringify({ backend })] });
  return uid;
}

const open = (uid: string, backend: JsonObject, unlistedBackends: "keep" | "refuse") =>
  openBackend({ ...api.deps, unlistedBackends }, { project: "default", kind: "Network", uid }, backend, "system");

test("X062 an entity created before the list of backends existed keeps its state, which cannot be moved", async () => {
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

const bucket = { bucket: "old-states", region: "eu-west-1" };

async function listUses(): Promise<Record<string, JsonObject>> {
  const { items } = (await api.must("GET", "/v1/backenduses?pageSize=1000")).body as unknown as { items: JsonObject[] };
  return Object.fromEntries(items.map((item) => [item["name"] as string, item]));
}

test("X062 an entity from an earlier release gets a backend's secrets only in its own folder, or at a location that an operator keeps for it", async () => {
  const plain = { type: "s3", settings: bucket };
  const chosen = { type: "s3", settings: { ...bucket, key: "default/mine.tfstate" } };
  const uids = {
    plain: await createOldNetwork("plain", plain),
    inside: await createOldNetwork("inside", chosen),
  };
  const stolen = { type: "s3", settings: { ...bucket, key: "victim/network/state.tfstate" } };
  const foreign = { type: "s3", settings: { ...bucket, key: `network/${uids.plain}.tfstate` } };
  const outside = await createOldNetwork("outside", stolen);
  const other = await createOldNetwork("other", foreign);
  const secrets = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "of-the-operator" };
  const spec = { type: "s3", settings: bucket, projects: ["default"], ...secrets };
  await api.must("POST", "/v1/backends", { body: { metadata: { name: "old" }, spec } });
  const key = async (uid: string, backend: JsonObject): Promise<unknown> => {
    const opened = await open(uid, backend, "keep");
    return [opened?.settings["key"], opened?.secrets["AWS_SECRET_ACCESS_KEY"]];
  };
  expect(await key(uids.plain, plain)).toEqual([`network/${uids.plain}.tfstate`, "of-the-operator"]);
  expect(await key(uids.inside, chosen)).toEqual(["default/mine.tfstate", "of-the-operator"]);
  for (const [uid, backend] of [
    [outside, stolen],
    [other, foreign],
  ] as const)
    await expect(open(uid, backend, "keep")).rejects.toMatchObject({ code: "api.backend_refused" });
  expect(await listUses()).toMatchObject({
    plain: { backend: "old", problem: "" },
    outside: { backend: "old", problem: "LOCATION_NOT_ALLOWED", location: "victim/network/state.tfstate", settings: bucket },
  });
  const keptLocations = { [outside]: "victim/network/state.tfstate" };
  await api.must("PATCH", "/v1/backends/old", { body: { spec: { keptLocations } } });
  expect(await key(outside, stolen)).toEqual(["victim/network/state.tfstate", "of-the-operator"]);
  await expect(open(other, foreign, "keep")).rejects.toMatchObject({ code: "api.backend_refused" });
  await expect(open(other, stolen, "keep")).rejects.toMatchObject({ code: "api.backend_refused" });
});

test("X062 a refused location of an earlier release's entity is audited in its project", async () => {
  const backend = { type: "s3", settings: { ...bucket, key: "victim/x.tfstate" } };
  const uid = await createOldNetwork("audited", backend);
  await expect(startRun(api, await agent.sign(), uid)).rejects.toThrow("403");
  const { rows } = await api.pool.query({
    text: "select project, code from audit where outcome = 'denied' and name = 'audited'",
    values: [],
  });
  expect(rows).toEqual([{ project: "default", code: "api.backend_refused" }]);
});

test("X062 withdrawing a backend from a project stops old entities, instead of giving them the agent's variables", async () => {
  const backend = { type: "s3", settings: bucket };
  const uid = await createOldNetwork("withdrawn", backend);
  await api.must("PATCH", "/v1/backends/old", { body: { spec: { projects: ["another"] } } });
  await expect(open(uid, backend, "keep")).rejects.toMatchObject({ code: "api.backend_refused" });
  expect((await listUses())["withdrawn"]).toMatchObject({ problem: "PROJECT_NOT_ALLOWED" });
  await api.must("PATCH", "/v1/backends/old", { body: { spec: { projects: ["default"] } } });
  expect((await api.call("DELETE", "/v1/backends/old")).body.code).toBe("store.in_use");
});

test("X062 no project can claim the location of an earlier release's entity, a kept location or another backend's folder", async () => {
  for (const project of ["network", "victim", "deep"]) await api.createProject(project);
  const uid = await createOldNetwork("claimed", { type: "s3", settings: bucket });
  await api.must("PATCH", "/v1/backends/old", { body: { spec: { projects: ["default", "network", "victim", "deep"] } } });
  const nested = { type: "s3", settings: bucket, prefix: "deep/er", projects: ["victim"] };
  await api.must("POST", "/v1/backends", { body: { metadata: { name: "nested" }, spec: nested } });
  for (const [project, key] of [
    ["network", `network/${uid}.tfstate`],
    ["network", `network/${uid.toUpperCase()}.tfstate`],
    ["victim", "victim/network/state.tfstate"],
    ["deep", "deep/er/victim/network/state.tfstate"],
  ] as const) {
    const body = { metadata: { name: "thief" }, spec: { simulated: true, aws: {} } };
    await api.call("POST", `/v1/projects/${project}/accounts`, { body });
    const backend = { name: "old", settings: { key } };
    const stolen = { metadata: { name: "thief" }, spec: { account: "thief", region: "eu-west-1", infra: { backend } } };
    const { status } = await api.call("POST", `/v1/projects/${project}/networks`, { body: stolen });
    expect([project, key, status]).toEqual([project, key, 400]);
  }
});

test("X062 the list of external states is for operators only and is paged", async () => {
  const mallory = await api.createPerson("mallory", [{ project: "default", role: "owner" }]);
  expect((await api.call("GET", "/v1/backenduses", { key: mallory.key })).status).toBe(403);
  const all = Object.keys(await listUses()).length;
  const names: unknown[] = [];
  for (let token = ""; ;) {
    const { body } = await api.must("GET", `/v1/backenduses?pageSize=2&pageToken=${token}`);
    const page = body as unknown as { items: JsonObject[]; nextPageToken?: string };
    names.push(...page.items.map((item) => item["name"]));
    token = page.nextPageToken ?? "";
    if (token === "") break;
  }
  expect([new Set(names).size, names.length]).toEqual([all, all]);
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
