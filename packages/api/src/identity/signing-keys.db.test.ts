import { createLocalJWKSet, generateKeyPair, jwtVerify, SignJWT } from "jose";
import { createLogger, createManualClock, createUid } from "@cloudwright/platform";
import { createPool, listSigningKeys, type Pool } from "@cloudwright/store";
import { createTestDatabase, type TestDatabase } from "@cloudwright/store/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createForger, createTestKeyRing, kidOf } from "./testing.ts";
import { createTokens, type Tokens } from "./tokens.ts";

const keyRing = createTestKeyRing();
const userUid = createUid(0);
const cap = { project: "shop", role: "editor" } as const;
const refused = expect.objectContaining({ code: "api.unauthenticated" });
const hourMs = 3_600_000;
const log = createLogger({ level: "silent", name: "test" });

let database: TestDatabase;
let pool: Pool;
let clock: ReturnType<typeof createManualClock>;
let tokens: Tokens;
let forger: ReturnType<typeof createForger>;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});
beforeEach(async () => {
  await pool.query({ text: "truncate signing_key, used_token", values: [] });
  clock = createManualClock(Date.UTC(2026, 0, 1));
  tokens = createReplica();
  forger = createForger({ pool, keyRing, clock });
});

function createReplica(): Tokens {
  return createTokens({ pool, keyRing, clock, log });
}

function issue(changes: Partial<Parameters<Tokens["issue"]>[0]> = {}): Promise<{ token: string; expiresAt: string }> {
  return tokens.issue({ userUid, audience: "cloudwright", ttlSeconds: 300, singleUse: false, cap, ...changes });
}

test("M005 other services verify our tokens with the published keys", async () => {
  const { token } = await issue({ audience: "billing" });
  const published = await tokens.jwks();
  for (const key of published.keys) expect(Object.keys(key).toSorted()).toEqual(["alg", "crv", "kid", "kty", "use", "x"]);
  const options = { issuer: "cloudwright", audience: "billing", algorithms: ["EdDSA"], currentDate: new Date(clock.now()) };
  const { payload } = await jwtVerify(token, createLocalJWKSet(published), options);
  expect(payload.sub).toBe(userUid);
});

test("M005 the key is rotated after a day; the old key is deleted once all tokens signed with it have expired", async () => {
  const first = kidOf((await issue()).token);
  clock.advance(24 * hourMs - 1);
  const { token } = await issue();
  expect(kidOf(token)).toBe(first);
  clock.advance(1);
  const second = kidOf((await issue()).token);
  expect(second).not.toBe(first);
  clock.advance(299_000);
  expect(await tokens.verify(token, "cloudwright")).toMatchObject({ userUid });
  expect(await createReplica().verify(token, "cloudwright")).toMatchObject({ userUid });
  expect(await publishedKids()).toEqual([first, second].toSorted());

  clock.advance(301_000);
  expect(await publishedKids()).toEqual([second]);
  clock.advance(24 * hourMs);
  const third = kidOf((await issue()).token);
  clock.advance(hourMs);
  await issue();
  expect((await listSigningKeys(pool)).map((row) => row.kid)).not.toContain(first);
  expect(await publishedKids()).toEqual([third]);
});

test("M005 a token signed with an expired key is rejected although the key is still in the database", async () => {
  await issue();
  const { kid, key } = await forger.openSigner();
  clock.advance(24 * hourMs + 600_000);
  const late = await new SignJWT(forger.goodClaims()).setProtectedHeader({ alg: "EdDSA", typ: "cloudwright+jwt", kid }).sign(key);
  expect(await listSigningKeys(pool)).toHaveLength(1);
  await expect(tokens.verify(late, "cloudwright")).rejects.toEqual(refused);
  await expect(createReplica().verify(late, "cloudwright")).rejects.toEqual(refused);
});

test("M005 replicas that rotate keys at the same time create one key and sign with it", async () => {
  const replicas = Array.from({ length: 6 }, createReplica);
  for (const day of [0, 1, 2]) {
    const issued = await Promise.all(
      replicas.map((replica) => replica.issue({ userUid, audience: "cloudwright", ttlSeconds: 60, singleUse: false, cap })),
    );
    expect(new Set(issued.map(({ token }) => kidOf(token))).size).toBe(1);
    expect((await listSigningKeys(pool)).length).toBe(day === 0 ? 1 : 2);
    clock.advance(24 * hourMs);
  }
});

test("M005 many concurrent first tokens of one replica are signed with one key", async () => {
  const issued = await Promise.all(Array.from({ length: 8 }, () => issue()));
  expect(new Set(issued.map(({ token }) => kidOf(token))).size).toBe(1);
});

/** Issues a token from a replica whose clock is ahead. The replica signs it with a key that `tokens` has not loaded yet. */
async function issueAhead(): Promise<string> {
  await issue();
  clock.advance(24 * hourMs - 1000);
  await tokens.jwks();
  const ahead = createManualClock(clock.now() + 2000);
  const other = createTokens({ pool, keyRing, clock: ahead, log });
  return (await other.issue({ userUid, audience: "cloudwright", ttlSeconds: 60, singleUse: false, cap })).token;
}

test("M005 a replica accepts at once a token that another replica signed with a new key", async () => {
  const token = await issueAhead();
  expect(kidOf(token)).not.toBe(kidOf((await issue()).token));
  expect(await tokens.verify(token, "cloudwright")).toMatchObject({ userUid });
});

test("M005 a replica publishes at once a key that another replica created", async () => {
  expect(await publishedKids()).toHaveLength(1);
  const token = await issueAhead();
  expect(await publishedKids()).toContain(kidOf(token));
});

test("M005 tokens with made-up key ids do not cause a query each", async () => {
  await tokens.jwks();
  let queries = 0;
  const counting: Pool = { ...pool, query: (statement) => ((queries += 1), pool.query(statement)) };
  const replica = createTokens({ pool: counting, keyRing, clock, log });
  const stranger = await generateKeyPair("EdDSA", { crv: "Ed25519" });
  for (let index = 0; index < 50; index += 1) {
    const header = { alg: "EdDSA", typ: "cloudwright+jwt", kid: `kid-${index}` };
    const forged = await new SignJWT(forger.goodClaims()).setProtectedHeader(header).sign(stranger.privateKey);
    await expect(replica.verify(forged, "cloudwright")).rejects.toEqual(refused);
  }
  expect(queries).toBeGreaterThan(0);
  expect(queries).toBeLessThan(10);
});

test("M005 deleting a key from the database invalidates its tokens within a minute, whether they were verified before or not", async () => {
  const { token } = await issue();
  await tokens.verify(token, "cloudwright");
  await pool.query({ text: "delete from signing_key", values: [] });
  clock.advance(60_000);
  await expect(tokens.verify(token, "cloudwright")).rejects.toEqual(refused);
});

test("M097 the private key is not stored in any readable form", async () => {
  await issue();
  const { privateJwk } = await forger.openSigner();
  const { rows } = await pool.query<{ dump: string; sealed: Buffer }>({
    text: "select signing_key::text as dump, sealed from signing_key",
    values: [],
  });
  const secret = privateJwk.d ?? "";
  expect(secret.length).toBeGreaterThan(40);
  const raw = Buffer.from(secret, "base64url");
  for (const { dump, sealed } of rows) {
    expect(dump).toContain(privateJwk.x);
    for (const form of [secret, raw.toString("hex"), raw.toString("base64"), Buffer.from(secret).toString("hex"), '"d"'])
      expect(dump).not.toContain(form);
    expect(sealed.includes(raw)).toBe(false);
    expect(sealed.includes(secret)).toBe(false);
  }
});

test("M097 an encrypted key that is moved to another row cannot be decrypted", async () => {
  await issue();
  await pool.query({ text: "update signing_key set kid = 'moved'", values: [] });
  tokens = createReplica();
  await expect(issue()).rejects.toBeInstanceOf(Error);
});

async function publishedKids(): Promise<string[]> {
  return (await tokens.jwks()).keys.map((key) => key.kid ?? "").toSorted();
}
