import { afterAll, beforeAll, expect, test } from "vitest";
import { foundPlatform } from "../found-platform.ts";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";
import type { TestAnswer } from "../testing/http-call.ts";

let api: TestApi;
let nobody: Person;

beforeAll(async () => {
  api = await startTestApi();
  nobody = await api.createPerson("nobody");
});
afterAll(() => api.close());

/** Returns the secret of a new key. No later response contains it. */
function keyOf({ body }: TestAnswer): string {
  return body.status["key"] as string;
}

test("M008 replacing a missing project requires the right to create one", async () => {
  const before = await api.countStored();
  const missing = await api.call("PUT", "/v1/projects/squat?allowMissing=true", { key: nobody.key, body: { spec: {} } });
  const hidden = await api.call("PUT", "/v1/projects/default?allowMissing=true", { key: nobody.key, body: { spec: {} } });
  expect([missing.status, missing.body.code]).toEqual([403, "api.denied"]);
  expect([hidden.status, hidden.body.code]).toEqual([403, "api.denied"]);
  expect(await api.countStored()).toEqual(before);
});

test("M008 a project owner may still replace the project with allowMissing", async () => {
  await api.createProject("kept");
  const owner = await api.createPerson("kept-owner", [{ project: "kept", role: "owner" }]);
  const body = { spec: { description: "ours" } };
  expect((await api.call("PUT", "/v1/projects/kept?allowMissing=true", { key: owner.key, body })).status).toBe(200);
});

test("M005 M006 a token can neither create nor rotate keys", async () => {
  const { text } = await api.must("POST", "/v1/tokens", { body: { audience: "cloudwright" } });
  const key = (JSON.parse(text) as { token: string }).token;
  const made = await api.call("POST", "/v1/apikeys", { key, body: { metadata: { name: "for-ever" } } });
  const rotated = await api.call("POST", "/v1/apikeys/first-start:rotate", { key });
  expect([made.body.code, rotated.body.code]).toEqual(["api.denied", "api.denied"]);
});

test("M006 a key that expires cannot create a key that expires later", async () => {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const made = await api.must("POST", "/v1/apikeys", { body: { metadata: { name: "brief" }, spec: { expiresAt } } });
  const key = keyOf(made);
  const lasting = { metadata: { name: "lasting" } };
  expect((await api.call("POST", "/v1/apikeys", { key, body: lasting })).body.code).toBe("api.invalid");
  expect((await api.call("POST", "/v1/apikeys", { key, body: { ...lasting, spec: { expiresAt } } })).status).toBe(201);
});

test("M006 a limited key lists only itself", async () => {
  const made = await api.must("POST", "/v1/apikeys", { body: { metadata: { name: "narrow" }, spec: { role: "viewer" } } });
  const { body } = await api.must("GET", "/v1/apikeys", { key: keyOf(made) });
  expect(body.items.map(({ metadata }) => metadata.name)).toEqual(["narrow"]);
});

test("M006 repeating a create with an idempotency key does not reveal anything that the caller may not access", async () => {
  const headers = { "idempotency-key": "once" };
  const body = { metadata: { name: "replayed" } };
  await api.must("POST", "/v1/apikeys", { headers, body });
  const again = await api.call("POST", "/v1/apikeys", { headers, body });
  expect([again.status, again.body.code]).toEqual([409, "store.exists"]);
  const narrow = await api.must("POST", "/v1/apikeys", { body: { metadata: { name: "narrower" }, spec: { role: "viewer" } } });
  const peek = await api.call("POST", "/v1/apikeys", { key: keyOf(narrow), headers, body });
  expect([peek.status, peek.body.code]).toEqual([404, "api.not_found"]);
});

test("M008 a restart does not give back roles that owners took from the first user", async () => {
  const own = await startTestApi();
  try {
    const next = await own.createPerson("next", [{ project: "system", role: "owner" }]);
    await own.must("DELETE", "/v1/projects/system/rolebindings/admin", { key: next.key });
    expect(await foundPlatform(own.deps, { renew: false })).toBeUndefined();
    expect((await own.call("GET", "/v1/users", { key: own.adminKey })).status).toBe(403);
    await own.must("DELETE", "/v1/apikeys/first-start", { key: next.key });
    // Another user may reuse the key's name. The next server start must not replace that user's key.
    const taken = await own.must("POST", "/v1/apikeys", { key: next.key, body: { metadata: { name: "first-start" } } });
    expect(await foundPlatform(own.deps, { renew: true })).toBeUndefined();
    expect((await own.call("GET", "/v1/whoami", { key: keyOf(taken) })).status).toBe(200);
  } finally {
    await own.close();
  }
});

test("M009 a project that is created again cannot read the records of its predecessor", async () => {
  await api.createProject("again");
  await api.must("POST", "/v1/projects/again/environments", { body: { metadata: { name: "before" } } });
  await api.must("DELETE", "/v1/projects/again?cascade=true");
  await api.createProject("again");
  for (const records of ["events", "auditrecords"]) {
    const { text } = await api.must("GET", `/v1/projects/again/${records}`);
    expect(text).not.toContain("before");
    expect(text).toContain("again");
  }
});

test("M029 a role in the system project does not cover any tenant's environments", async () => {
  await api.must("POST", "/v1/projects/system/environments", { body: { metadata: { name: "prod" } } });
  await api.must("POST", "/v1/projects/default/environments", { body: { metadata: { name: "prod" } } });
  const half = await api.createPerson("half", [{ project: "system", role: "owner", environment: "prod" }]);
  expect((await api.call("GET", "/v1/projects/default/environments", { key: half.key })).status).toBe(404);
});

test("M029 X063 a limited key turns a role in an environment of the system project into no role elsewhere", async () => {
  await api.createProject("victim");
  for (const project of ["system", "victim"])
    await api.must("POST", `/v1/projects/${project}/environments`, { body: { metadata: { name: "shared" } } });
  const hostile = await api.createPerson("system-shared", [{ project: "system", environment: "shared", role: "admin" }]);
  const made = await api.call("POST", "/v1/apikeys", {
    key: hostile.key,
    body: { metadata: { name: "limited" }, spec: { project: "victim" } },
  });
  const keys = [hostile.key, ...(made.status === 201 ? [keyOf(made)] : [])];
  for (const key of keys) {
    const listed = await api.call("GET", "/v1/projects/victim/networks", { key });
    expect([listed.status, listed.body.code]).toEqual([404, "api.not_found"]);
    const { body } = await api.must("GET", "/v1/projects", { key });
    expect(body.items.map(({ metadata }) => metadata.name)).not.toContain("victim");
  }
});

test("M029 a key of a platform administrator that is limited to a project keeps the role there", async () => {
  await api.createProject("limited-to");
  const made = await api.must("POST", "/v1/apikeys", {
    body: { metadata: { name: "narrow-admin" }, spec: { project: "limited-to", role: "editor" } },
  });
  expect((await api.call("GET", "/v1/projects/limited-to/networks", { key: keyOf(made) })).status).toBe(200);
  expect((await api.call("GET", "/v1/projects/default/networks", { key: keyOf(made) })).status).toBe(404);
});
