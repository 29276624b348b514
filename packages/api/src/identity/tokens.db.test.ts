import { createHash, createPublicKey, sign, type KeyObject } from "node:crypto";
import {
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  importJWK,
  jwtVerify,
  SignJWT,
  UnsecuredJWT,
  type CryptoKey,
  type JWK,
  type JWTPayload,
} from "jose";
import fc from "fast-check";
import { createLogger, createManualClock, createUid } from "@cloudwright/platform";
import { createPool, listSigningKeys, prune, unseal, type Pool } from "@cloudwright/store";
import { createTestDatabase, type TestDatabase } from "@cloudwright/store/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestKeyRing } from "./testing.ts";
import { createTokens, type Tokens } from "./tokens.ts";

const keyRing = createTestKeyRing();
const userUid = createUid(0);
const cap = { project: "shop", role: "editor" } as const;
const refused = expect.objectContaining({ code: "api.unauthenticated" });
const hourMs = 3_600_000;

let database: TestDatabase;
let pool: Pool;
let clock: ReturnType<typeof createManualClock>;
let lines: string[];
let tokens: Tokens;

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
  lines = [];
  tokens = createReplica();
});

function createReplica(): Tokens {
  return createTokens({
    pool,
    keyRing,
    clock,
    log: createLogger({ level: "trace", name: "test", stream: { write: (line) => lines.push(line) } }),
  });
}

function issue(changes: Partial<Parameters<Tokens["issue"]>[0]> = {}): Promise<{ token: string; expiresAt: string }> {
  return tokens.issue({ userUid, audience: "cloudwright", ttlSeconds: 300, singleUse: false, cap, ...changes });
}

/** Our own private key, as only a process with the key ring can have it. */
async function openSigner(): Promise<{ kid: string; key: CryptoKey; publicJwk: JWK; privateJwk: JWK }> {
  await tokens.jwks();
  const [row] = await listSigningKeys(pool);
  if (row === undefined) throw new Error("no key");
  const privateJwk = JSON.parse(unseal(keyRing, row.kid, row.sealed)) as JWK;
  return { kid: row.kid, key: (await importJWK(privateJwk, "EdDSA")) as CryptoKey, publicJwk: row.public_jwk, privateJwk };
}

function goodClaims(): JWTPayload {
  const iat = clock.now() / 1000;
  return {
    iss: "cloudwright",
    aud: "cloudwright",
    sub: userUid,
    jti: createUid(clock.now()),
    iat,
    nbf: iat,
    exp: iat + 300,
    cap,
  };
}

/** A token that our own key signs, with claims and header of the test's choosing. */
async function forge(claims: JWTPayload, header: { alg?: string; typ?: string; kid?: string } = {}): Promise<string> {
  const { kid, key } = await openSigner();
  return new SignJWT(claims).setProtectedHeader({ alg: "EdDSA", typ: "cloudwright+jwt", kid, ...header }).sign(key);
}

function without(claim: string): JWTPayload {
  return Object.fromEntries(Object.entries(goodClaims()).filter(([name]) => name !== claim));
}

test("M005 a token tells its audience whom it speaks of, within which limits and until when", async () => {
  const { token, expiresAt } = await issue({ audience: "billing", ttlSeconds: 60 });
  expect(expiresAt).toBe(new Date(clock.now() + 60_000).toISOString());
  const verified = await tokens.verify(token, "billing");
  expect(verified).toEqual({ userUid, cap, jti: expect.any(String), expiresAt: clock.now() + 60_000 });
  expect(await createReplica().verify(token, "billing")).toEqual(verified);
});

test("M005 the forger of this suite makes tokens that are accepted, so that the refusals below mean something", async () => {
  expect(await tokens.verify(await forge(goodClaims()), "cloudwright")).toMatchObject({ userUid });
});

const at = (change: (seconds: number) => JWTPayload) => (): JWTPayload => ({ ...goodClaims(), ...change(clock.now() / 1000) });

test.for<[string, () => JWTPayload]>([
  ["from another issuer", at(() => ({ iss: "someone" }))],
  ["for another audience", at(() => ({ aud: "billing" }))],
  ["for a list of audiences", at(() => ({ aud: ["cloudwright", "billing"] }))],
  ["for a list of one audience", at(() => ({ aud: ["cloudwright"] }))],
  ["that has expired", at((now) => ({ iat: now - 100, nbf: now - 100, exp: now - 5 }))],
  ["that is not valid yet", at((now) => ({ nbf: now + 6 }))],
  ["issued in the future", at((now) => ({ iat: now + 6, exp: now + 200 }))],
  ["that lives longer than five minutes", at((now) => ({ exp: now + 301 }))],
  ["that lives endlessly", at(() => ({ exp: Number.MAX_SAFE_INTEGER }))],
  ["issued longer than five minutes ago", at((now) => ({ iat: now - 306, nbf: now - 306, exp: now + 10 }))],
  ["whose times are texts", at((now) => ({ exp: String(now + 100) as never }))],
  ["whose subject is no user", at(() => ({ sub: "admin" }))],
  ["whose id is a number", at(() => ({ jti: 7 as never }))],
  ["whose id is empty", at(() => ({ jti: "" }))],
  ["whose limits are null", at(() => ({ cap: null }))],
  ["whose limits name an unknown role", at(() => ({ cap: { project: "", role: "root" } }))],
  ["whose limits lack a role", at(() => ({ cap: { project: "" } }))],
  ["whose `once` is a text", at(() => ({ once: "true" }))],
  ["whose `once` is false", at(() => ({ once: false }))],
  ...["iss", "aud", "sub", "jti", "iat", "nbf", "exp", "cap"].map((claim): [string, () => JWTPayload] => [
    `without ${claim}`,
    () => without(claim),
  ]),
])("M005 a token %s is refused although our key signed it", async ([, claims]) => {
  await expect(tokens.verify(await forge(claims()), "cloudwright")).rejects.toEqual(refused);
});

test("M005 clocks may differ by five seconds", async () => {
  const now = clock.now() / 1000;
  await tokens.verify(await forge({ ...goodClaims(), nbf: now + 5, iat: now + 5, exp: now + 100 }), "cloudwright");
  await tokens.verify(await forge({ ...goodClaims(), nbf: now - 100, iat: now - 100, exp: now - 4 }), "cloudwright");
});

test("M005 a token of another type is refused although our key signed it", async () => {
  for (const typ of ["JWT", "at+jwt", ""]) {
    await expect(tokens.verify(await forge(goodClaims(), { typ }), "cloudwright")).rejects.toEqual(refused);
  }
  const { kid, key } = await openSigner();
  const untyped = await new SignJWT(goodClaims()).setProtectedHeader({ alg: "EdDSA", kid }).sign(key);
  await expect(tokens.verify(untyped, "cloudwright")).rejects.toEqual(refused);
});

test("M005 a token without a signature is refused, however `none` is written", async () => {
  const { kid } = await openSigner();
  await expect(tokens.verify(new UnsecuredJWT(goodClaims()).encode(), "cloudwright")).rejects.toEqual(refused);
  for (const alg of ["none", "None", "NONE", "", "EdDSA"]) {
    const bare = `${encode({ alg, typ: "cloudwright+jwt", kid })}.${encode(goodClaims())}.`;
    await expect(tokens.verify(bare, "cloudwright")).rejects.toEqual(refused);
  }
});

test("M005 a token signed with HS256 and the public key as the secret is refused", async () => {
  const { kid, publicJwk } = await openSigner();
  const publicKey = createPublicKey({ key: publicJwk as never, format: "jwk" });
  const secrets = [
    Buffer.from(publicJwk.x ?? "", "base64url"),
    Buffer.from(publicJwk.x ?? "", "utf8"),
    publicKey.export({ type: "spki", format: "der" }),
    Buffer.from(publicKey.export({ type: "spki", format: "pem" })),
    Buffer.from(JSON.stringify(publicJwk)),
  ];
  for (const secret of secrets) {
    const header = { alg: "HS256", typ: "cloudwright+jwt", kid };
    const confused = await new SignJWT(goodClaims())
      .setProtectedHeader(header)
      .sign(createHash("sha256").update(secret).digest());
    await expect(tokens.verify(confused, "cloudwright")).rejects.toEqual(refused);
    const raw = await new SignJWT(goodClaims())
      .setProtectedHeader(header)
      .sign(Buffer.concat([secret, Buffer.alloc(Math.max(0, 32 - secret.length))]));
    await expect(tokens.verify(raw, "cloudwright")).rejects.toEqual(refused);
  }
});

test("M005 a good signature under another name of the algorithm is refused", async () => {
  const { kid, privateJwk } = await openSigner();
  const text = `${encode({ alg: "Ed25519", typ: "cloudwright+jwt", kid })}.${encode(goodClaims())}`;
  const key = { key: privateJwk as never, format: "jwk" } as unknown as KeyObject;
  const signature = sign(null, Buffer.from(text), key).toString("base64url");
  await expect(tokens.verify(`${text}.${signature}`, "cloudwright")).rejects.toEqual(refused);
});

test("M005 a stranger's key is refused, under its own id, under ours, and when the token brings it along", async () => {
  const { kid } = await openSigner();
  const stranger = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  const jwk = await exportJWK(stranger.publicKey);
  const header = { alg: "EdDSA", typ: "cloudwright+jwt" };
  for (const rest of [{ kid: "theirs" }, { kid }, { jwk }, { kid, jwk }, { kid, jku: "https://example.com/jwks.json" }, {}]) {
    const forged = await new SignJWT(goodClaims()).setProtectedHeader({ ...header, ...rest }).sign(stranger.privateKey);
    await expect(tokens.verify(forged, "cloudwright")).rejects.toEqual(refused);
  }
});

test("M005 a token that was changed after signing is refused, also once the true one was verified", async () => {
  const { token } = await issue();
  await tokens.verify(token, "cloudwright");
  const [header = "", payload = "", signature = ""] = token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as JWTPayload;
  const changed = [
    `${header}.${encode({ ...claims, cap: { project: "", role: "owner" } })}.${signature}`,
    `${header}.${encode({ ...claims, sub: createUid(1) })}.${signature}`,
    `${encode({ alg: "EdDSA", typ: "cloudwright+jwt", kid: "x" })}.${payload}.${signature}`,
    `${header}.${payload}.${"A".repeat(86)}`,
    `${header}.${payload}.`,
    `${header}.${payload}`,
    `${token}.`,
    `${token}\u0000`,
  ];
  for (const forged of changed) await expect(tokens.verify(forged, "cloudwright")).rejects.toEqual(refused);
});

test("M005 a verified token is still refused for another audience, and once it has expired", async () => {
  const { token } = await issue({ ttlSeconds: 60 });
  await tokens.verify(token, "cloudwright");
  await expect(tokens.verify(token, "billing")).rejects.toEqual(refused);
  clock.advance(65_000);
  await expect(tokens.verify(token, "cloudwright")).rejects.toEqual(refused);
});

test("M005 of many uses of a single-use token at once exactly one is accepted, by whichever replica", async () => {
  const { token } = await issue({ singleUse: true });
  const replicas = [tokens, createReplica(), createReplica()];
  const uses = await Promise.allSettled(
    Array.from({ length: 12 }, (_, index) => replicas[index % 3]?.verify(token, "cloudwright")),
  );
  expect(uses.filter((use) => use.status === "fulfilled")).toHaveLength(1);
  for (const use of uses) if (use.status === "rejected") expect(use.reason).toEqual(refused);
});

test("M005 a used token stays used for as long as clocks that differ could accept it", async () => {
  const { token } = await issue({ singleUse: true, ttlSeconds: 10 });
  await tokens.verify(token, "cloudwright");
  clock.advance(14_000);
  const now = new Date(clock.now()).toISOString();
  await prune(pool, { changes: now, idempotency: now, now });
  await expect(tokens.verify(token, "cloudwright")).rejects.toEqual(refused);
});

test("M005 an ordinary token can be used again", async () => {
  const { token } = await issue();
  expect(await tokens.verify(token, "cloudwright")).toEqual(await tokens.verify(token, "cloudwright"));
});

test.for([0, -1, 301, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
  "M005 a token of %d seconds is not issued",
  async (ttlSeconds) => {
    await expect(issue({ ttlSeconds })).rejects.toMatchObject({ code: "api.invalid", fields: [{ field: "ttlSeconds" }] });
  },
);

test("M005 other services verify our tokens with the published keys", async () => {
  const { token } = await issue({ audience: "billing" });
  const published = await tokens.jwks();
  for (const key of published.keys) expect(Object.keys(key).toSorted()).toEqual(["alg", "crv", "kid", "kty", "use", "x"]);
  const options = { issuer: "cloudwright", audience: "billing", algorithms: ["EdDSA"], currentDate: new Date(clock.now()) };
  const { payload } = await jwtVerify(token, createLocalJWKSet(published), options);
  expect(payload.sub).toBe(userUid);
});

test("M005 the key is changed after a day; tokens of the old one are good until they expire, then it is gone", async () => {
  const first = kidOf((await issue()).token);
  clock.advance(24 * hourMs - 1);
  const { token } = await issue();
  expect(kidOf(token)).toBe(first);
  clock.advance(1);
  const second = kidOf((await issue()).token);
  expect(second).not.toBe(first);
  expect(await tokens.verify(token, "cloudwright")).toMatchObject({ userUid });
  expect(await createReplica().verify(token, "cloudwright")).toMatchObject({ userUid });
  expect(await publishedKids()).toEqual([first, second].toSorted());

  clock.advance(600_000);
  expect(await publishedKids()).toEqual([second]);
  clock.advance(24 * hourMs);
  const third = kidOf((await issue()).token);
  clock.advance(hourMs);
  await issue();
  expect((await listSigningKeys(pool)).map((row) => row.kid)).not.toContain(first);
  expect(await publishedKids()).toEqual([third]);
});

test("M005 a token signed with a key past its time is refused although the key is still in the database", async () => {
  const { kid, key } = await openSigner();
  clock.advance(24 * hourMs + 600_000);
  const late = await new SignJWT(goodClaims()).setProtectedHeader({ alg: "EdDSA", typ: "cloudwright+jwt", kid }).sign(key);
  expect(await listSigningKeys(pool)).toHaveLength(1);
  await expect(tokens.verify(late, "cloudwright")).rejects.toEqual(refused);
  await expect(createReplica().verify(late, "cloudwright")).rejects.toEqual(refused);
});

test("M005 replicas that change keys at the same moment make one key and sign with it", async () => {
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

test("M005 many first tokens of one replica at once are signed with one key", async () => {
  const issued = await Promise.all(Array.from({ length: 8 }, () => issue()));
  expect(new Set(issued.map(({ token }) => kidOf(token))).size).toBe(1);
});

test("M005 a replica accepts at once what another signed with a key it has not seen", async () => {
  await tokens.verify((await issue()).token, "cloudwright");
  const other = createReplica();
  clock.advance(24 * hourMs);
  await other.jwks();
  const { token } = await other.issue({ userUid, audience: "cloudwright", ttlSeconds: 60, singleUse: false, cap });
  expect(await tokens.verify(token, "cloudwright")).toMatchObject({ userUid });
});

test("M005 tokens with made-up key ids do not become a query each", async () => {
  await tokens.jwks();
  let queries = 0;
  const counting: Pool = { ...pool, query: (statement) => ((queries += 1), pool.query(statement)) };
  const replica = createTokens({ pool: counting, keyRing, clock, log: createLogger({ level: "silent", name: "test" }) });
  const stranger = await generateKeyPair("EdDSA", { crv: "Ed25519" });
  for (let index = 0; index < 50; index += 1) {
    const header = { alg: "EdDSA", typ: "cloudwright+jwt", kid: `kid-${index}` };
    const forged = await new SignJWT(goodClaims()).setProtectedHeader(header).sign(stranger.privateKey);
    await expect(replica.verify(forged, "cloudwright")).rejects.toEqual(refused);
  }
  expect(queries).toBeGreaterThan(0);
  expect(queries).toBeLessThan(10);
});

test("M005 a key that is withdrawn from the database ends its tokens within a minute, verified before or not", async () => {
  const { token } = await issue();
  await tokens.verify(token, "cloudwright");
  await pool.query({ text: "delete from signing_key", values: [] });
  clock.advance(60_000);
  await expect(tokens.verify(token, "cloudwright")).rejects.toEqual(refused);
});

test("M097 the private key is not in the table in any readable form", async () => {
  const { privateJwk } = await openSigner();
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

test("M097 a sealed key that is moved to another row does not open", async () => {
  await issue();
  await pool.query({ text: "update signing_key set kid = 'moved'", values: [] });
  await expect(createReplica().issue({ userUid, audience: "a", ttlSeconds: 1, singleUse: false, cap })).rejects.toThrow();
});

test("M097 no token and no key shows up in logs or faults", async () => {
  const { token } = await issue({ singleUse: true });
  await tokens.verify(token, "cloudwright");
  const { privateJwk } = await openSigner();
  const faults: unknown[] = [];
  for (const bad of [token, `${token}x`, await forge({ ...goodClaims(), aud: "billing" })]) {
    faults.push(await tokens.verify(bad, "cloudwright").catch((error: unknown) => error));
  }
  const said = [
    ...lines,
    ...faults.map(
      (fault) => `${String(fault)} ${JSON.stringify(fault)} ${(fault as Error).stack} ${String((fault as Error).cause)}`,
    ),
  ];
  expect(lines.length).toBeGreaterThan(0);
  for (const part of [...token.split("."), privateJwk.d ?? ""]) expect(said.join("\n")).not.toContain(part);
});

test("M005 whatever text is sent as a token, the answer is a refusal", async () => {
  const { token } = await issue();
  const part = fc.oneof(
    fc.string(),
    fc.json().map((text) => Buffer.from(text).toString("base64url")),
    fc.constantFrom(...token.split(".")),
  );
  const text = fc.oneof(
    fc.string(),
    fc.tuple(part, part, part).map((parts) => parts.join(".")),
  );
  await fc.assert(
    fc.asyncProperty(text, async (bad) => {
      if (bad === token) return;
      await expect(tokens.verify(bad, "cloudwright")).rejects.toEqual(refused);
    }),
    { numRuns: 500 },
  );
  await expect(tokens.verify(`${token}${"x".repeat(100_000)}`, "cloudwright")).rejects.toEqual(refused);
});

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function kidOf(token: string): string {
  return (JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()) as { kid: string }).kid;
}

async function publishedKids(): Promise<(string | undefined)[]> {
  return (await tokens.jwks()).keys.map((key) => key.kid).toSorted();
}
