import { createLogger, createManualClock, Fault } from "@cloudwright/platform";
import { createPool, type Pool } from "@cloudwright/store";
import { createTestDatabase, type TestDatabase } from "@cloudwright/store/testing";
import { fastify, type FastifyInstance, type LightMyRequestResponse } from "fastify";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { ApiDeps } from "../deps.ts";
import { createApiKey } from "./api-keys.ts";
import { issueSignInToken } from "./issue-link.ts";
import { registerSessionRoutes } from "./session-routes.ts";
import { createPeople, createTestKeyRing, openGatekeeper } from "./testing.ts";
import { createTokens } from "./tokens.ts";

let database: TestDatabase;
let pool: Pool;
let clock: ReturnType<typeof createManualClock>;
let deps: ApiDeps;
let app: FastifyInstance;
let people: ReturnType<typeof createPeople>;
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
  await pool.query({ text: "truncate entity, session, api_key, audit, signing_key, used_token cascade", values: [] });
  clock = createManualClock();
  const log = createLogger({ level: "silent", name: "test" });
  deps = { pool, clock, log, tokens: createTokens({ pool, clock, log, keyRing: createTestKeyRing() }) } as unknown as ApiDeps;
  people = createPeople(deps);
  ada = await people.createUser("ada");
  app = fastify();
  app.setErrorHandler((error, _request, reply) =>
    error instanceof Fault
      ? reply.code(error.httpStatus).send({ code: error.code, fields: error.fields })
      : reply.code(500).send(),
  );
  registerSessionRoutes(app, deps, { gatekeeper: openGatekeeper });
});
afterEach(() => app.close());

function signIn(body: object): Promise<LightMyRequestResponse> {
  return app.inject({
    method: "POST",
    url: "/v1/session",
    payload: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
}

test("M006 a link signs in once, and its session has the rights of the key that created it", async () => {
  const { key, uid } = await people.createKey(ada);
  const token = await issueSignInToken(deps, key);
  const first = await signIn({ token });
  expect([first.statusCode, first.json()]).toMatchObject([200, { user: "ada" }]);
  const cookie = String(first.headers["set-cookie"]).split(";")[0] ?? "";
  expect((await app.inject({ method: "GET", url: "/v1/session", headers: { cookie } })).statusCode).toBe(200);
  expect([(await signIn({ token })).statusCode, (await signIn({ token })).json()]).toMatchObject([
    401,
    { code: "api.unauthenticated" },
  ]);
  await pool.query({ text: "delete from api_key where uid = $1", values: [uid] });
  expect((await app.inject({ method: "GET", url: "/v1/session", headers: { cookie } })).statusCode).toBe(401);
});

test("M006 a link is rejected when it has expired, when its key was revoked, and when its token is for another purpose", async () => {
  const { key, uid, prefix } = await people.createKey(ada);
  const old = await issueSignInToken(deps, key);
  clock.advance(306_000);
  expect((await signIn({ token: old })).statusCode).toBe(401);
  const cap = { project: "", role: "" } as const;
  for (const [audience, source] of [
    ["cloudwright", { uid, prefix }],
    ["console", undefined],
  ] as const) {
    const { token } = await deps.tokens.issue({ userUid: ada, audience, ttlSeconds: 60, singleUse: true, cap, key: source });
    expect((await signIn({ token })).statusCode).toBe(401);
  }
  const late = await issueSignInToken(deps, key);
  await pool.query({ text: "delete from api_key where uid = $1", values: [uid] });
  expect((await signIn({ token: late })).statusCode).toBe(401);
  await expect(issueSignInToken(deps, key)).rejects.toMatchObject({ code: "api.unauthenticated" });
});

test("M006 a link created before its key was rotated is rejected", async () => {
  const { key, uid } = await people.createKey(ada);
  const token = await issueSignInToken(deps, key);
  const next = createApiKey();
  await pool.query({ text: "update api_key set hash = $2, prefix = $3 where uid = $1", values: [uid, next.hash, next.prefix] });
  expect((await signIn({ token })).statusCode).toBe(401);
  expect((await signIn({ token: await issueSignInToken(deps, next.key.reveal()) })).statusCode).toBe(200);
});

test("M006 a login contains a key or a token, never both", async () => {
  const { key } = await people.createKey(ada);
  const both = await signIn({ key, token: "a.b.c" });
  expect([both.statusCode, both.json()]).toMatchObject([400, { code: "api.invalid", fields: [{ field: "token" }] }]);
  expect((await signIn({ token: "" })).json()).toMatchObject({ code: "api.invalid", fields: [{ field: "token" }] });
});
