import { createLogger, createManualClock, createToken, createUid } from "@cloudwright/platform";
import { createPool, findEntity, insertSession, updateEntity, type Pool } from "@cloudwright/store";
import { createTestDatabase, type TestDatabase } from "@cloudwright/store/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createApiKey, hashCredential } from "./api-keys.ts";
import { authenticate, type Credentials } from "./authenticate.ts";
import { createPeople, createTestKeyRing } from "./testing.ts";
import { createTokens, type Tokens } from "./tokens.ts";

const refused = expect.objectContaining({ code: "api.unauthenticated" });
const signedIn = expect.objectContaining({ user: "ada", credential: "session" });
const forged = expect.objectContaining({ code: "api.csrf" });

let database: TestDatabase;
let pool: Pool;
let clock: ReturnType<typeof createManualClock>;
let tokens: Tokens;
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
  await pool.query({ text: "truncate entity, session, api_key, signing_key, used_token cascade", values: [] });
  clock = createManualClock();
  tokens = createTokens({ pool, keyRing: createTestKeyRing(), clock, log: createLogger({ level: "silent", name: "test" }) });
  people = createPeople({ pool, clock });
  ada = await people.createUser("ada");
  await people.bindRole(ada, "shop", "editor");
});

/** Replaces the secret of a key, as the rotate method does. */
async function rotate(uid: string, apiKey: { hash: Buffer; prefix: string }): Promise<void> {
  const row = await findEntity(pool, { kind: "ApiKey", project: "", namingScope: "", ref: uid });
  if (row === undefined) throw new Error("there is no such key");
  const update = {
    uid,
    oldVersion: row.resource_version,
    resourceVersion: String(Number(row.resource_version) + 1),
    at: new Date(clock.now()).toISOString(),
    deletedAt: null,
    environmentUid: null,
    environment: "",
    labels: {},
    object: row.object,
    sealed: null,
    apiKey,
  };
  expect(await updateEntity(pool, update, { changes: [], events: [], audits: [] })).toBe(true);
}

const nothing: Credentials = {
  authorization: undefined,
  cookie: undefined,
  method: "GET",
  csrfHeader: undefined,
  origin: undefined,
  host: "cloud.example.com",
  secFetchSite: undefined,
};

function call(request: Partial<Credentials>): ReturnType<typeof authenticate> {
  return authenticate({ pool, tokens, clock }, { ...nothing, ...request });
}

function bearer(credential: string): ReturnType<typeof authenticate> {
  return call({ authorization: `Bearer ${credential}` });
}

async function signIn(keyUid: string, ttlMs = 3_600_000): Promise<string> {
  const token = createToken();
  const [createdAt, expiresAt] = [clock.now(), clock.now() + ttlMs].map((ms) => new Date(ms).toISOString());
  await insertSession(pool, {
    hash: hashCredential(token),
    keyUid,
    createdAt: createdAt as string,
    expiresAt: expiresAt as string,
  });
  return `cloudwright_session=${token}`;
}

function issue(input: Partial<Parameters<Tokens["issue"]>[0]> = {}): Promise<{ token: string }> {
  return tokens.issue({
    userUid: ada,
    audience: "cloudwright",
    ttlSeconds: 60,
    singleUse: false,
    cap: { project: "", role: "" },
    ...input,
  });
}

async function disable(userUid: string): Promise<void> {
  await pool.query({ text: `update entity set object = '{"spec":{"disabled":true}}' where uid = $1`, values: [userUid] });
}

test("M008 a request without a credential has no caller, which is not a fault", async () => {
  expect(await call({})).toBeUndefined();
  expect(await call({ cookie: "theme=dark; other_cloudwright_session=x" })).toBeUndefined();
  expect(await call({ method: "POST" })).toBeUndefined();
});

describe("API keys", () => {
  test("M006 a key authenticates its user with the roles of that user", async () => {
    const { key, uid, prefix } = await people.createKey(ada);
    expect(await bearer(key)).toEqual({
      userUid: ada,
      user: "ada",
      credential: "key",
      credentialId: prefix,
      keyUid: uid,
      key: { uid, prefix },
      cap: { project: "", role: "" },
      grants: [{ project: "shop", environment: "", role: "editor" }],
      isCurrent: expect.any(Function),
    });
    expect(await call({ authorization: `bearer  ${key}` })).toMatchObject({ user: "ada" });
  });

  test("M006 a revoked key is rejected at the next request", async () => {
    const { key, uid } = await people.createKey(ada);
    expect(await bearer(key)).toMatchObject({ user: "ada" });
    await pool.query({ text: "delete from entity where uid = $1", values: [uid] });
    await expect(bearer(key)).rejects.toEqual(refused);
  });

  test("M006 after a rotation the old key and its sessions are rejected at once and the new key works", async () => {
    const { key, uid } = await people.createKey(ada);
    const cookie = await signIn(uid);
    expect(await call({ cookie })).toMatchObject({ user: "ada" });
    const next = createApiKey();
    await rotate(uid, { hash: next.hash, prefix: next.prefix });
    await expect(bearer(key)).rejects.toEqual(refused);
    await expect(call({ cookie })).rejects.toEqual(refused);
    expect(await bearer(next.key.reveal())).toMatchObject({ user: "ada", credentialId: next.prefix });
  });

  test("M006 a key is rejected from the moment it expires", async () => {
    const { key } = await people.createKey(ada, { expiresAt: new Date(clock.now() + 1000).toISOString() });
    clock.advance(999);
    expect(await bearer(key)).toMatchObject({ user: "ada" });
    clock.advance(1);
    await expect(bearer(key)).rejects.toEqual(refused);
  });

  test("M006 the database contains a key's hash and prefix, not the key", async () => {
    const { key, prefix } = await people.createKey(ada);
    const { rows } = await pool.query<{ dump: string }>({
      text: "select (select json_agg(k)::text from api_key k) || (select json_agg(e)::text from entity e) as dump",
      values: [],
    });
    expect(rows[0]?.dump).toContain(prefix);
    expect(rows[0]?.dump).not.toContain(key.slice(prefix.length));
  });

  test("M006 a disabled user's keys, sessions and tokens stop working at once", async () => {
    const { key, uid } = await people.createKey(ada);
    const cookie = await signIn(uid);
    const { token } = await issue();
    for (const request of [{ authorization: `Bearer ${key}` }, { cookie }, { authorization: `Bearer ${token}` }]) {
      expect(await call(request)).toMatchObject({ user: "ada" });
    }
    await disable(ada);
    for (const request of [{ authorization: `Bearer ${key}` }, { cookie }, { authorization: `Bearer ${token}` }]) {
      await expect(call(request)).rejects.toEqual(refused);
    }
  });
});

describe("limits of a credential", () => {
  const limits: [held: string, limit: string, left: string | undefined][] = [
    ["owner", "", "owner"],
    ["owner", "viewer", "viewer"],
    ["viewer", "owner", "viewer"],
    ["admin", "admin", "admin"],
    ["agent", "", "agent"],
    ["agent", "agent", "agent"],
    ["agent", "owner", undefined],
    ["agent", "viewer", undefined],
    ["editor", "agent", undefined],
    ["owner", "agent", "agent"],
  ];
  test.for(limits)("M008 a user with the %s role and a key limited to %j acts as %s", async ([held, limit, left]) => {
    const bob = await people.createUser("bob");
    await people.bindRole(bob, "shop", held);
    const { key } = await people.createKey(bob, { role: limit });
    expect((await bearer(key))?.grants.map((grant) => grant.role)).toEqual(left === undefined ? [] : [left]);
  });

  test("M009 a key for one project does not give access to other projects or to the platform, whatever roles its user has", async () => {
    await people.bindRole(ada, "bank", "owner");
    await people.bindRole(ada, "system", "admin");
    const { key } = await people.createKey(ada, { project: "shop" });
    const caller = await bearer(key);
    expect(new Set(caller?.grants.map((grant) => grant.project))).toEqual(new Set(["shop"]));
    expect(caller?.grants.map((grant) => grant.role).toSorted()).toEqual(["admin", "editor"]);
  });

  test("M006 a session and a token have the limits of the key that created them", async () => {
    await people.bindRole(ada, "bank", "owner");
    const { key, uid } = await people.createKey(ada, { project: "bank", role: "viewer" });
    const viaKey = await bearer(key);
    expect(viaKey?.grants).toEqual([{ project: "bank", environment: "", role: "viewer" }]);
    const { token } = await issue({ cap: viaKey?.cap ?? { project: "", role: "" } });
    for (const request of [{ cookie: await signIn(uid) }, { authorization: `Bearer ${token}` }]) {
      const caller = await call(request);
      expect(caller?.cap).toEqual({ project: "bank", role: "viewer" });
      expect(caller?.grants).toEqual(viaKey?.grants);
    }
  });
});

describe("tokens", () => {
  test("M005 a token authenticates its user with their current roles", async () => {
    const { token } = await issue();
    expect(await bearer(token)).toMatchObject({
      user: "ada",
      credential: "token",
      keyUid: undefined,
      grants: [{ role: "editor" }],
    });
    await pool.query({ text: "delete from entity where kind = 'RoleBinding'", values: [] });
    expect(await bearer(token)).toMatchObject({ user: "ada", grants: [] });
  });

  test("M005 a token for another service, for an unknown user, with another user's key, or used before is rejected", async () => {
    await expect(bearer((await issue({ audience: "billing" })).token)).rejects.toEqual(refused);
    await expect(bearer((await issue({ userUid: createUid(0) })).token)).rejects.toEqual(refused);
    const { uid, prefix } = await people.createKey(await people.createUser("bob"));
    await expect(bearer((await issue({ key: { uid, prefix } })).token)).rejects.toEqual(refused);
    const { token } = await issue({ singleUse: true });
    expect(await bearer(token)).toMatchObject({ user: "ada" });
    await expect(bearer(token)).rejects.toEqual(refused);
  });

  test("M005 M006 a token becomes invalid when the key that created it is revoked, is rotated or expires", async () => {
    const expiresAt = new Date(clock.now() + 30_000).toISOString();
    const [revoked, rotated] = [await people.createKey(ada), await people.createKey(ada)] as const;
    const short = await people.createKey(ada, { expiresAt });
    const bearers = new Map<string, () => ReturnType<typeof bearer>>();
    for (const key of [revoked, rotated, short]) {
      const { token } = await issue({ key: { uid: key.uid, prefix: key.prefix } });
      bearers.set(key.uid, () => bearer(token));
      expect(await bearer(token)).toMatchObject({ user: "ada", credential: "token", keyUid: key.uid });
    }
    const streamed = await bearers.get(rotated.uid)?.();
    expect(await streamed?.isCurrent?.()).toBe(true);
    await pool.query({ text: "delete from entity where uid = $1", values: [revoked.uid] });
    const next = createApiKey();
    await rotate(rotated.uid, { hash: next.hash, prefix: next.prefix });
    clock.advance(29_999);
    expect(await bearers.get(short.uid)?.()).toMatchObject({ keyExpiresAtMs: Date.parse(expiresAt) });
    clock.advance(1);
    for (const use of bearers.values()) await expect(use()).rejects.toEqual(refused);
    expect(await streamed?.isCurrent?.()).toBe(false);
  });

  test("M005 the uid of an entity that is not a user does not authenticate anyone", async () => {
    const { uid } = await people.createKey(ada);
    await expect(bearer((await issue({ userUid: uid })).token)).rejects.toEqual(refused);
  });
});

describe("sessions", () => {
  test("M006 a session authenticates the user of its key until it or the key expires", async () => {
    const short = await people.createKey(ada, { expiresAt: new Date(clock.now() + 2000).toISOString() });
    const cookies = [await signIn(short.uid), await signIn((await people.createKey(ada)).uid, 3000)] as const;
    expect(await call({ cookie: `theme=dark; ${cookies[0]}; x=y` })).toMatchObject({
      user: "ada",
      credential: "session",
      credentialId: short.prefix,
      keyUid: short.uid,
    });
    clock.advance(2000);
    await expect(call({ cookie: cookies[0] })).rejects.toEqual(refused);
    expect(await call({ cookie: cookies[1] })).toMatchObject({ user: "ada" });
    clock.advance(1000);
    await expect(call({ cookie: cookies[1] })).rejects.toEqual(refused);
  });

  test("M006 a revoked key ends its sessions", async () => {
    const { uid } = await people.createKey(ada);
    const cookie = await signIn(uid);
    await pool.query({ text: "delete from entity where uid = $1", values: [uid] });
    await expect(call({ cookie })).rejects.toEqual(refused);
  });

  test("M006 two session cookies are rejected, in either order", async () => {
    const { uid } = await people.createKey(ada);
    const [mine, planted] = [await signIn(uid), await signIn(uid)];
    await expect(call({ cookie: `${mine}; ${planted}` })).rejects.toEqual(refused);
    await expect(call({ cookie: `${mine}; cloudwright_session=` })).rejects.toEqual(refused);
  });

  test("M006 a bearer credential takes precedence over a cookie, even if it is invalid", async () => {
    const bob = await people.createUser("bob");
    const cookie = await signIn((await people.createKey(ada)).uid);
    const { key } = await people.createKey(bob);
    expect(await call({ cookie, authorization: `Bearer ${key}`, method: "POST" })).toMatchObject({
      user: "bob",
      credential: "key",
    });
    await expect(call({ cookie, authorization: `Bearer ${createApiKey().key.reveal()}` })).rejects.toEqual(refused);
  });
});

describe("requests that another site makes a browser send", () => {
  const origin = "https://cloud.example.com";
  const table: [what: string, request: Partial<Credentials>, accepted: boolean][] = [
    ["a change with the header alone", { csrfHeader: "1" }, true],
    ["a change with an empty header", { csrfHeader: "" }, true],
    ["a change without the header", {}, false],
    ["a change without the header from our own origin", { origin, secFetchSite: "same-origin" }, false],
    ["a change from our own page", { csrfHeader: "1", origin, secFetchSite: "same-origin" }, true],
    ["a change without an origin page", { csrfHeader: "1", secFetchSite: "none" }, true],
    ["a change from our own origin with an explicit port", { csrfHeader: "1", origin, host: "cloud.example.com:443" }, true],
    ["a change from another port", { csrfHeader: "1", origin: `${origin}:8443` }, false],
    ["a change from another origin", { csrfHeader: "1", origin: "https://evil.example" }, false],
    ["a change from a host that starts like ours", { csrfHeader: "1", origin: "https://cloud.example.com.evil.example" }, false],
    [
      "a change from a host that hides ours in its user name",
      { csrfHeader: "1", origin: "https://cloud.example.com@evil.example" },
      false,
    ],
    ["a change from a sandboxed page", { csrfHeader: "1", origin: "null" }, false],
    ["a change from a file", { csrfHeader: "1", origin: "file:///tmp/x.html", host: "" }, false],
    ["a change from a malformed origin", { csrfHeader: "1", origin: "::" }, false],
    ["a change without a host to compare with", { csrfHeader: "1", origin, host: undefined }, false],
    ["a change from a sibling site", { csrfHeader: "1", secFetchSite: "same-site" }, false],
    ["a change from another site", { csrfHeader: "1", secFetchSite: "cross-site" }, false],
    [
      "a change from our origin that the browser calls cross-site",
      { csrfHeader: "1", origin, secFetchSite: "cross-site" },
      false,
    ],
    ...["GET", "HEAD", "OPTIONS", "get"].map((method): (typeof table)[number] => [`a plain ${method}`, { method }, true]),
    ["a read from our own page", { method: "GET", secFetchSite: "same-origin" }, true],
    ["a read from another port of our host", { method: "GET", origin: `${origin}:8443`, secFetchSite: "same-site" }, false],
    ["a read from another site", { method: "GET", secFetchSite: "cross-site" }, false],
    ...["POST", "PUT", "PATCH", "DELETE", "post", "PURGE"].map((method): (typeof table)[number] => [
      `a plain ${method}`,
      { method },
      false,
    ]),
  ];
  test.for(table)("M006 %s", async ([, request, accepted]) => {
    const cookie = await signIn((await people.createKey(ada)).uid);
    const outcome = await call({ method: "POST", cookie, ...request }).catch((error: unknown) => error);
    expect(outcome).toEqual(accepted ? signedIn : forged);
  });

  test("M006 a key or token needs no CSRF protection, since browsers never add it automatically", async () => {
    const { key } = await people.createKey(ada);
    expect(await call({ method: "DELETE", authorization: `Bearer ${key}`, origin: "https://evil.example" })).toMatchObject({
      user: "ada",
    });
  });
});

describe("malformed credentials", () => {
  test.for([
    "",
    "Bearer",
    "Bearer ",
    "Bearer  ",
    "Basic YWRhOnB3",
    "cw_x",
    "Bearer cw_x",
    "Bearer cw_'; drop table entity; --",
    `Bearer cw_${"a".repeat(43)}`,
    `Bearer cw_${"a".repeat(43)} x`,
    `Bearer cw_${"a".repeat(43)},Bearer cw_${"b".repeat(43)}`,
    "Bearer a.b",
    "Bearer a.b.c",
    "Bearer ..",
    "Bearer a.b.c.d",
    "Bearer password",
    `Bearer ${"x".repeat(100_000)}`,
    `Bearer cw_${"x".repeat(100_000)}`,
    "Bearer cw_\u0000",
  ])("M006 Authorization: %j is rejected", async (authorization) => {
    await expect(call({ authorization })).rejects.toEqual(refused);
  });

  test.for([
    "cloudwright_session=",
    "cloudwright_session=x",
    `cloudwright_session=${"a".repeat(43)}`,
    `cloudwright_session="${"a".repeat(41)}"`,
  ])("M006 Cookie: %j is rejected", async (cookie) => {
    await expect(call({ cookie })).rejects.toEqual(refused);
  });
});
