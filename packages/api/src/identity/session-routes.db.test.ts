import { fastify, type FastifyBaseLogger, type InjectOptions, type LightMyRequestResponse } from "fastify";
import { createLogger, createManualClock, Fault } from "@cloudwright/platform";
import { createPool, type Pool } from "@cloudwright/store";
import { createTestDatabase, type TestDatabase } from "@cloudwright/store/testing";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { ApiDeps } from "../deps.ts";
import { createApiKey, hashCredential } from "./api-keys.ts";
import { registerSessionRoutes } from "./session-routes.ts";
import { createPeople, openGatekeeper } from "./testing.ts";

const hourMs = 3_600_000;

let database: TestDatabase;
let pool: Pool;
let clock: ReturnType<typeof createManualClock>;
let people: ReturnType<typeof createPeople>;
let app: ReturnType<typeof createApp>;
let lines: string[];
let ada: string;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});
beforeEach(async () => {
  await pool.query({ text: "truncate entity, session, api_key, audit cascade", values: [] });
  clock = createManualClock();
  people = createPeople({ pool, clock });
  ada = await people.createUser("ada");
  lines = [];
  const log = createLogger({ level: "trace", name: "test", stream: { write: (line) => lines.push(line) } });
  app = createApp(log);
  registerSessionRoutes(app, { pool, clock, log } as unknown as ApiDeps, { gatekeeper: openGatekeeper });
});
afterEach(async () => {
  await app.close();
});

function createApp(log: FastifyBaseLogger) {
  const made = fastify({ loggerInstance: log });
  made.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const fault = error instanceof Fault ? error : undefined;
    request.log.error({ err: error }, "request failed");
    return reply
      .code(fault?.httpStatus ?? error.statusCode ?? 500)
      .send({ code: fault?.code, fields: fault?.fields, retryAfterMs: fault?.retryAfterMs });
  });
  return made;
}

function send(
  method: "GET" | "POST" | "DELETE",
  options: Omit<InjectOptions, "method" | "url"> = {},
): Promise<LightMyRequestResponse> {
  return app.inject({ method, url: "/v1/session", ...options });
}

function login(key: unknown, headers: Record<string, string> = {}, remoteAddress = "192.0.2.1"): Promise<LightMyRequestResponse> {
  return send("POST", {
    payload: JSON.stringify({ key }),
    headers: { "content-type": "application/json", ...headers },
    remoteAddress,
  });
}

async function signIn(): Promise<{ cookie: string; token: string; key: string; keyUid: string; prefix: string }> {
  const { key, uid, prefix } = await people.createKey(ada);
  const { headers } = await login(key);
  const [cookie = ""] = String(headers["set-cookie"]).split(";");
  return { cookie, token: cookie.replace("cloudwright_session=", ""), key, keyUid: uid, prefix };
}

async function readAudit(): Promise<Record<string, string>[]> {
  const text = "select actor, credential, verb, kind, project, name, outcome, code, source from audit order by uid";
  return (await pool.query<Record<string, string>>({ text, values: [] })).rows;
}

async function countSessions(): Promise<number> {
  return (
    (await pool.query<{ count: number }>({ text: "select count(*)::int as count from session", values: [] })).rows[0]?.count ?? -1
  );
}

test("M006 a key is exchanged for a cookie that scripts cannot read and other sites cannot send", async () => {
  const { key } = await people.createKey(ada);
  const response = await login(key);
  expect(response.statusCode).toBe(200);
  expect(response.json()).toEqual({ user: "ada", expiresAt: new Date(clock.now() + 12 * hourMs).toISOString() });
  expect(response.headers["set-cookie"]).toMatch(
    /^cloudwright_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
  );
  expect(response.headers["cache-control"]).toBe("no-store");
});

test("M006 over TLS the cookie is limited to TLS, even behind a proxy and whatever headers claim", async () => {
  const { key } = await people.createKey(ada);
  const cookieOf = async (headers: Record<string, string>): Promise<unknown> => (await login(key, headers)).headers["set-cookie"];
  expect(await cookieOf({ origin: "https://localhost:80", host: "localhost:80" })).toMatch(/; Max-Age=43200; Secure$/);
  expect(await cookieOf({ origin: "http://localhost:80", "x-forwarded-proto": "https" })).toMatch(/; Max-Age=43200$/);
  const { cookie } = await signIn();
  const headers = { cookie, "x-cloudwright-csrf": "1", origin: "https://localhost:80", host: "localhost:80" };
  expect((await send("DELETE", { headers })).headers["set-cookie"]).toMatch(/; Max-Age=0; Secure$/);
});

test("M006 signing in again in the same browser ends the previous session; an unreadable cookie is ignored", async () => {
  const { cookie, key } = await signIn();
  expect((await login(key, { cookie })).statusCode).toBe(200);
  expect((await send("GET", { headers: { cookie } })).statusCode).toBe(401);
  expect(await countSessions()).toBe(1);
  expect((await login(key, { cookie: "cloudwright_session=x" })).statusCode).toBe(200);
  expect(await countSessions()).toBe(2);
});

test("M006 a session ends no later than its key", async () => {
  const { key } = await people.createKey(ada, { expiresAt: new Date(clock.now() + hourMs).toISOString() });
  const response = await login(key);
  expect(response.json()).toMatchObject({ expiresAt: new Date(clock.now() + hourMs).toISOString() });
  expect(response.headers["set-cookie"]).toContain("Max-Age=3600");
});

test("M006 a session names its user until it expires", async () => {
  const { cookie } = await signIn();
  const expiresAt = new Date(clock.now() + 12 * hourMs).toISOString();
  expect((await send("GET", { headers: { cookie } })).json()).toEqual({ user: "ada", expiresAt });
  clock.advance(12 * hourMs - 1);
  expect((await send("GET", { headers: { cookie } })).json()).toEqual({ user: "ada", expiresAt });
  clock.advance(1);
  const late = await send("GET", { headers: { cookie } });
  expect([late.statusCode, late.json()]).toMatchObject([401, { code: "api.unauthenticated" }]);
});

test("M006 without a session there is no user to show or sign out, not even for an API key", async () => {
  const { key } = await people.createKey(ada);
  for (const method of ["GET", "DELETE"] as const) {
    for (const headers of [{}, { authorization: `Bearer ${key}` }, { cookie: "a=b" }, { cookie: "cloudwright_session=x" }]) {
      const response = await send(method, { headers: { ...headers, "x-cloudwright-csrf": "1" } });
      expect([response.statusCode, response.json()]).toMatchObject([401, { code: "api.unauthenticated" }]);
    }
  }
});

test("M006 signing out immediately ends the session on the server and in the browser, but no other session", async () => {
  const [first, second] = [await signIn(), await signIn()];
  const response = await send("DELETE", { headers: { cookie: first.cookie, "x-cloudwright-csrf": "1" } });
  expect(response.statusCode).toBe(204);
  expect(response.body).toBe("");
  expect(response.headers["set-cookie"]).toBe("cloudwright_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
  expect((await send("GET", { headers: { cookie: first.cookie } })).statusCode).toBe(401);
  expect((await send("GET", { headers: { cookie: second.cookie } })).statusCode).toBe(200);
  expect(await countSessions()).toBe(1);
});

test("M006 another site cannot sign a browser out", async () => {
  const { cookie } = await signIn();
  for (const headers of [
    {},
    { "x-cloudwright-csrf": "1", origin: "https://evil.example" },
    { "x-cloudwright-csrf": "1", "sec-fetch-site": "cross-site" },
  ]) {
    const response = await send("DELETE", { headers: { cookie, ...headers } });
    expect([response.statusCode, response.json()]).toMatchObject([403, { code: "api.csrf" }]);
  }
  expect((await send("GET", { headers: { cookie } })).statusCode).toBe(200);
});

test("M006 another site cannot sign a browser in: forms cannot send JSON, and its origin gives it away", async () => {
  const { key } = await people.createKey(ada);
  const payload = JSON.stringify({ key });
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain; application/json",
    "application/jsonp",
    "",
  ]) {
    const response = await send("POST", { payload, headers: { "content-type": type } });
    expect(response.statusCode).toBe(415);
  }
  for (const headers of [{ origin: "https://evil.example" }, { origin: "null" }, { "sec-fetch-site": "same-site" }]) {
    expect((await login(key, headers)).json()).toMatchObject({ code: "api.csrf" });
  }
  expect(await countSessions()).toBe(0);
  expect(
    (
      await login(key, {
        "content-type": "application/json; charset=utf-8",
        origin: "http://localhost:80",
        "sec-fetch-site": "same-origin",
      })
    ).statusCode,
  ).toBe(200);
});

test.for<[body: string, code: string, field: string | undefined]>([
  ["", "api.invalid", ""],
  ["{", "api.bad_json", undefined],
  ["null", "api.invalid", ""],
  ["[]", "api.invalid", ""],
  ['"cw_x"', "api.invalid", ""],
  ["{}", "api.invalid", "key"],
  ['{"key":null}', "api.invalid", "key"],
  ['{"key":7}', "api.invalid", "key"],
  ['{"key":["cw_x"]}', "api.invalid", "key"],
  ['{"key":{"$ne":""}}', "api.invalid", "key"],
  ['{"key":""}', "api.invalid", "key"],
  [`{"key":"${"x".repeat(513)}"}`, "api.invalid", "key"],
  ['{"key":"cw_x","remember":true}', "api.invalid", "remember"],
  ['{"__proto__":{"key":"cw_x"}}', "api.invalid", "__proto__"],
  ['{"Key":"cw_x"}', "api.invalid", "Key"],
])("M012 a login with the body %s is rejected with the invalid field", async ([payload, code, field]) => {
  const response = await send("POST", { payload, headers: { "content-type": "application/json" } });
  expect([response.statusCode, response.json()]).toMatchObject([400, { code, fields: field === undefined ? [] : [{ field }] }]);
  expect(await countSessions()).toBe(0);
});

test("M012 a login that is not UTF-8 or too large is rejected", async () => {
  const headers = { "content-type": "application/json" };
  const bad = await send("POST", { payload: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), headers });
  expect(bad.json()).toMatchObject({ code: "api.bad_json" });
  expect((await send("POST", { payload: `{"key":"${"x".repeat(10_000)}"}`, headers })).statusCode).toBe(413);
});

test("M006 no session starts with an unknown, expired or revoked key, or with a disabled user's key", async () => {
  const bob = await people.createUser("bob", { disabled: true });
  const expired = await people.createKey(ada, { expiresAt: new Date(clock.now()).toISOString() });
  const revoked = await people.createKey(ada);
  await pool.query({ text: "delete from entity where uid = $1", values: [revoked.uid] });
  for (const key of [
    createApiKey().key.reveal(),
    expired.key,
    revoked.key,
    (await people.createKey(bob)).key,
    "cw_x",
    "password",
  ]) {
    const response = await login(key);
    expect([response.statusCode, response.json()]).toMatchObject([401, { code: "api.unauthenticated" }]);
    expect(response.headers["set-cookie"]).toBeUndefined();
  }
  expect(await countSessions()).toBe(0);
});

test("M014 logins, rejected logins and logouts are audited with user, credential and source", async () => {
  const { cookie, prefix } = await signIn();
  await send("DELETE", { headers: { cookie, "x-cloudwright-csrf": "1" }, remoteAddress: "192.0.2.9" });
  await login(createApiKey().key.reveal());
  const expired = await people.createKey(ada, { expiresAt: new Date(clock.now()).toISOString() });
  await login(expired.key);
  const session = {
    kind: "Session",
    project: "system",
    name: "ada",
    actor: "ada",
    source: "192.0.2.1",
    code: "",
    outcome: "allowed",
  };
  const denied = { ...session, verb: "login", outcome: "denied", code: "api.unauthenticated" };
  const records = await readAudit();
  expect(records).toHaveLength(4);
  expect(records).toEqual(
    expect.arrayContaining([
      { ...session, verb: "login", credential: `key:${prefix}` },
      { ...session, verb: "logout", credential: `session:${prefix}`, source: "192.0.2.9" },
      { ...denied, actor: "", name: "", credential: "" },
      { ...denied, credential: `key:${expired.prefix}` },
    ]),
  );
});

test("M006 after ten failures an address has to wait, whatever key it sends; other addresses do not", async () => {
  const { key } = await people.createKey(ada);
  const guesses = await Promise.all(Array.from({ length: 30 }, () => login(createApiKey().key.reveal())));
  expect(guesses.filter((response) => response.statusCode === 401)).toHaveLength(10);
  expect(guesses.filter((response) => response.statusCode === 429)).toHaveLength(20);
  expect((await login(key)).json()).toMatchObject({ code: "api.rate_limited", retryAfterMs: 6000 });
  expect((await login(key, {}, "192.0.2.2")).statusCode).toBe(200);
  expect(await readAudit()).toHaveLength(11);
  clock.advance(6000);
  expect((await login(key)).statusCode).toBe(200);
});

test("M006 all addresses of one IPv6 network are counted together", async () => {
  for (let index = 0; index < 10; index += 1) await login(createApiKey().key.reveal(), {}, `2001:db8::${index}`);
  expect((await login(createApiKey().key.reveal(), {}, "2001:db8::abcd")).statusCode).toBe(429);
  expect((await login(createApiKey().key.reveal(), {}, "2001:db8:0:1::1")).statusCode).toBe(401);
});

test("M006 successful logins do not count as attempts", async () => {
  const { key } = await people.createKey(ada);
  for (let index = 0; index < 25; index += 1) expect((await login(key)).statusCode).toBe(200);
});

test("M097 neither key nor cookie appears in the database, the logs or the responses", async () => {
  const { key, token, cookie, prefix } = await signIn();
  const answers = [
    await send("GET", { headers: { cookie } }),
    await login(`${key.slice(0, -1)}!`),
    await send("POST", { payload: `{"key":"${key}"`, headers: { "content-type": "application/json" } }),
    await send("POST", { payload: `{"key":"${key}","more":1}`, headers: { "content-type": "application/json" } }),
    await send("DELETE", { headers: { cookie } }),
  ];
  const tables = await pool.query<{ dump: string }>({
    text: "select concat((select json_agg(s) from session s), (select json_agg(k) from api_key k), (select json_agg(a) from audit a), (select json_agg(e) from entity e)) as dump",
    values: [],
  });
  const dump = tables.rows[0]?.dump ?? "";
  expect(dump).toContain(hashCredential(token).toString("hex"));
  expect(dump).toContain(prefix);
  const said = [dump, ...lines, ...answers.map((answer) => `${answer.body}${JSON.stringify(answer.headers)}`)].join("\n");
  expect(lines.length).toBeGreaterThan(5);
  for (const secret of [key.slice(prefix.length, -1), token]) expect(said).not.toContain(secret);
});
