import type { JsonObject } from "@cloudwright/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";
import type { TestAnswer } from "../testing/http-call.ts";

let api: TestApi;
let ada: Person;
let made = 0;

beforeAll(async () => {
  api = await startTestApi();
  for (const project of ["ours", "theirs"]) await api.createProject(project);
  ada = await api.createPerson("ada", [
    { project: "ours", role: "owner" },
    { project: "theirs", role: "editor" },
  ]);
});
afterAll(() => api.close());

/** Creates an API key. Returns its name and its secret. */
async function createKey(spec: JsonObject, key = ada.key): Promise<{ name: string; key: string; answer: TestAnswer }> {
  made += 1;
  const name = `k-${made}`;
  const answer = await api.call("POST", "/v1/apikeys", { key, body: { metadata: { name }, spec } });
  return { name, key: answer.status === 201 ? (answer.body.status["key"] as string) : "", answer };
}

/** Tries to list environments, create an environment and create a role binding in both projects. Returns the statuses. */
async function reachOf(key: string): Promise<Record<string, number[]>> {
  const reach: Record<string, number[]> = {};
  for (const project of ["ours", "theirs"]) {
    made += 1;
    const body = { metadata: { name: `e-${made}` } };
    const binding = { ...body, spec: { user: "admin", role: "viewer" } };
    const path = `/v1/projects/${project}`;
    const answers = [
      await api.call("GET", `${path}/environments`, { key }),
      await api.call("POST", `${path}/environments`, { key, body }),
      await api.call("POST", `${path}/rolebindings?dryRun=true`, { key, body: binding }),
    ];
    reach[project] = answers.map(({ status }) => status);
  }
  return reach;
}

const nothing = [404, 404, 404];

describe("M006 M008 an API key", () => {
  test("has all rights of its user", async () => {
    expect(await reachOf((await createKey({})).key)).toEqual({ ours: [200, 201, 200], theirs: [200, 201, 403] });
  });

  test("for one project does not grant access to others", async () => {
    expect(await reachOf((await createKey({ project: "ours" })).key)).toEqual({ ours: [200, 201, 200], theirs: nothing });
    expect(await reachOf((await createKey({ project: "nowhere" })).key)).toEqual({ ours: nothing, theirs: nothing });
  });

  test("with a role acts with at most that role", async () => {
    expect(await reachOf((await createKey({ role: "viewer" })).key)).toEqual({ ours: [200, 403, 403], theirs: [200, 403, 403] });
    expect(await reachOf((await createKey({ role: "owner" })).key)).toEqual({ ours: [200, 201, 200], theirs: [200, 201, 403] });
    expect(await reachOf((await createKey({ role: "agent" })).key)).toEqual({ ours: [403, 403, 403], theirs: nothing });
  });

  test("of a platform owner can be limited to one project and role", async () => {
    const { key } = await createKey({ project: "theirs", role: "editor" }, api.adminKey);
    expect(await reachOf(key)).toEqual({ ours: nothing, theirs: [200, 201, 403] });
    expect((await api.call("GET", "/v1/users", { key })).status).toBe(403);
  });

  test("passes its limits on to tokens created with it", async () => {
    const { key } = await createKey({ project: "ours", role: "viewer" });
    const { body } = await api.must("POST", "/v1/tokens", { key, body: { audience: "cloudwright" } });
    const { token } = body as unknown as { token: string };
    expect(await reachOf(token)).toEqual({ ours: [200, 403, 403], theirs: nothing });
    const again = await api.call("POST", "/v1/tokens", { key: token, body: { audience: "cloudwright" } });
    expect([again.status, again.body.code]).toEqual([403, "api.denied"]);
  });

  test("cannot create a key with more rights than its own", async () => {
    const { key } = await createKey({ project: "ours", role: "editor" });
    for (const spec of [
      {},
      { project: "ours" },
      { role: "viewer" },
      { project: "theirs", role: "viewer" },
      { project: "ours", role: "owner" },
    ]) {
      const { answer } = await createKey(spec, key);
      expect([spec, answer.status, answer.body.code]).toEqual([spec, 400, "api.invalid"]);
    }
    expect((await createKey({ project: "ours", role: "viewer" }, key)).answer.status).toBe(201);
  });

  test("cannot read, replace or revoke a key with more rights", async () => {
    const wide = await createKey({});
    const { key } = await createKey({ role: "viewer" });
    for (const [method, path] of [
      ["GET", ""],
      ["POST", ":rotate"],
      ["DELETE", ""],
    ] as const) {
      const { status } = await api.call(method, `/v1/apikeys/${wide.name}${path}`, { key });
      expect([method, status]).toEqual([method, 404]);
    }
    expect((await api.call("GET", "/v1/whoami", { key: wide.key })).status).toBe(200);
  });

  test("is shown when it is created or replaced and never again", async () => {
    const { name, key } = await createKey({});
    const shown = await api.must("GET", `/v1/apikeys/${name}`, { key: ada.key });
    expect(shown.body.status["prefix"]).toBe(key.slice(0, (shown.body.status["prefix"] as string).length));
    const rotated = await api.must("POST", `/v1/apikeys/${name}:rotate`, { key: ada.key, body: {} });
    const next = rotated.body.status["key"] as string;
    const reads = await Promise.all(
      [`/v1/apikeys/${name}`, "/v1/apikeys"].map((path) => api.must("GET", path, { key: ada.key })),
    );
    for (const { text } of [shown, ...reads]) for (const secret of [key, next]) expect(text).not.toContain(secret);
    expect((await api.call("GET", "/v1/whoami", { key })).status).toBe(401);
    expect((await api.call("GET", "/v1/whoami", { key: next })).status).toBe(200);
  });

  test("is visible only to its user and to platform owners", async () => {
    const users = async (key: string): Promise<Set<unknown>> =>
      new Set((await api.must("GET", "/v1/apikeys?pageSize=1000", { key })).body.items.map(({ spec }) => spec["user"]));
    expect(await users(ada.key)).toEqual(new Set(["ada"]));
    expect(await users(api.adminKey)).toEqual(new Set(["ada", "admin"]));
  });
});

test("X063 M006 a user has at most 500 API keys, even if they are created concurrently, and other users are not affected", async () => {
  const [full, other] = [await api.createPerson("full", []), await api.createPerson("other", [])];
  const copy = `insert into entity (uid, kind, project, naming_scope, name, parent_uid, environment, labels, resource_version, created_at, updated_at, object)
    select gen_random_uuid(), kind, project, naming_scope, 'copy-' || nth, parent_uid, environment, labels, resource_version, created_at, updated_at, object
    from entity cross join generate_series(1, $2) as nth where kind = 'ApiKey' and name = $1`;
  // The user already has one key, so two more are allowed afterwards.
  await api.pool.query({ text: copy, values: ["full-key", 497] });
  const tries = await Promise.all(Array.from({ length: 6 }, () => createKey({}, full.key)));
  const statuses = tries.map(({ answer }) => [answer.status, answer.body.code]);
  expect(statuses.filter(([status]) => status === 201)).toHaveLength(2);
  expect(statuses.filter(([, code]) => code === "store.limit_reached")).toHaveLength(4);
  const body = { metadata: { name: "dry" } };
  const dry = await api.call("POST", "/v1/apikeys?dryRun=true", { key: full.key, body });
  expect([dry.status, dry.body.code]).toEqual([409, "store.limit_reached"]);
  expect((await createKey({}, other.key)).answer.status).toBe(201);
  await api.must("DELETE", "/v1/apikeys/copy-1", { key: full.key });
  expect((await createKey({}, full.key)).answer.status).toBe(201);
});
