import { createHash, createPublicKey, sign, type KeyObject } from "node:crypto";
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from "jose";
import fc from "fast-check";
import { createLogger, createManualClock, createUid } from "@cloudwright/platform";
import { createPool, prune, type Pool } from "@cloudwright/store";
import { createTestDatabase, type TestDatabase } from "@cloudwright/store/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createForger, createTestKeyRing } from "./testing.ts";
import { createTokens, type Tokens } from "./tokens.ts";

const keyRing = createTestKeyRing();
const userUid = createUid(0);
const cap = { project: "shop", role: "editor" } as const;
const refused = expect.objectContaining({ code: "api.unauthenticated" });

let database: TestDatabase;
let pool: Pool;
let clock: ReturnType<typeof createManualClock>;
let lines: string[];
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
  lines = [];
  tokens = createReplica();
  await tokens.jwks();
  forger = createForger({ pool, keyRing, clock });
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

function without(claim: string): JWTPayload {
  return Object.fromEntries(Object.entries(forger.goodClaims()).filter(([name]) => name !== claim));
}

test("M005 a token contains its user, its limits and its expiry", async () => {
  const { token, expiresAt } = await issue({ audience: "billing", ttlSeconds: 60 });
  expect(expiresAt).toBe(new Date(clock.now() + 60_000).toISOString());
  const verified = await tokens.verify(token, "billing");
  expect(verified).toEqual({ userUid, cap, jti: expect.any(String), expiresAt: clock.now() + 60_000 });
  expect(await createReplica().verify(token, "billing")).toEqual(verified);
});

test("M005 this suite's forger creates acceptable tokens, so that the rejections below are meaningful", async () => {
  const claims = forger.goodClaims();
  expect(await tokens.verify(await forger.forge(claims), "cloudwright")).toMatchObject({ userUid: claims.sub, jti: claims.jti });
});

const at = (change: (seconds: number) => JWTPayload) => (): JWTPayload => ({
  ...forger.goodClaims(),
  ...change(clock.now() / 1000),
});

test.for<[string, () => JWTPayload]>([
  ["from another issuer", at(() => ({ iss: "someone" }))],
  ["for another audience", at(() => ({ aud: "billing" }))],
  ["for a list of audiences", at(() => ({ aud: ["cloudwright", "billing"] }))],
  ["for a list of one audience", at(() => ({ aud: ["cloudwright"] }))],
  ["that has expired", at((now) => ({ iat: now - 100, nbf: now - 100, exp: now - 5 }))],
  ["that is not valid yet", at((now) => ({ nbf: now + 6 }))],
  ["issued in the future", at((now) => ({ iat: now + 6, exp: now + 200 }))],
  ["with a lifetime of more than five minutes", at((now) => ({ exp: now + 301 }))],
  ["that never expires", at(() => ({ exp: Number.MAX_SAFE_INTEGER }))],
  ["issued longer than five minutes ago", at((now) => ({ iat: now - 306, nbf: now - 306, exp: now + 10 }))],
  ["whose times are strings", at((now) => ({ exp: String(now + 100) as never }))],
  ["whose subject is not a user", at(() => ({ sub: "admin" }))],
  ["whose id is a number", at(() => ({ jti: 7 as never }))],
  ["whose id is empty", at(() => ({ jti: "" }))],
  ["whose limits are null", at(() => ({ cap: null }))],
  ["whose limits name an unknown role", at(() => ({ cap: { project: "", role: "root" } }))],
  ["whose limits lack a role", at(() => ({ cap: { project: "" } }))],
  ["whose `once` is a string", at(() => ({ once: "true" }))],
  ["whose `once` is false", at(() => ({ once: false }))],
  ...["iss", "aud", "sub", "jti", "iat", "nbf", "exp", "cap"].map((claim): [string, () => JWTPayload] => [
    `without ${claim}`,
    () => without(claim),
  ]),
])("M005 a token %s is rejected although our key signed it", async ([, claims]) => {
  await expect(tokens.verify(await forger.forge(claims()), "cloudwright")).rejects.toEqual(refused);
});

test("M005 a clock skew of five seconds is tolerated", async () => {
  const now = clock.now() / 1000;
  const ahead = await forger.forge({ ...forger.goodClaims(), nbf: now + 5, iat: now + 5, exp: now + 100 });
  const behind = await forger.forge({ ...forger.goodClaims(), nbf: now - 100, iat: now - 100, exp: now - 4 });
  await expect(tokens.verify(ahead, "cloudwright")).resolves.toBeDefined();
  await expect(tokens.verify(behind, "cloudwright")).resolves.toBeDefined();
});

test("M005 a token of another type is rejected although our key signed it", async () => {
  for (const typ of ["JWT", "at+jwt", ""]) {
    await expect(tokens.verify(await forger.forge(forger.goodClaims(), { typ }), "cloudwright")).rejects.toEqual(refused);
  }
  const { kid, key } = await forger.openSigner();
  const untyped = await new SignJWT(forger.goodClaims()).setProtectedHeader({ alg: "EdDSA", kid }).sign(key);
  await expect(tokens.verify(untyped, "cloudwright")).rejects.toEqual(refused);
});

test("M005 a token without a signature is rejected, however `none` is spelled", async () => {
  const { kid } = await forger.openSigner();
  await expect(tokens.verify(new UnsecuredJWT(forger.goodClaims()).encode(), "cloudwright")).rejects.toEqual(refused);
  for (const alg of ["none", "None", "NONE", "", "EdDSA"]) {
    const bare = `${encode({ alg, typ: "cloudwright+jwt", kid })}.${encode(forger.goodClaims())}.`;
    await expect(tokens.verify(bare, "cloudwright")).rejects.toEqual(refused);
  }
});

test("M005 a token signed with HS256 and the public key as the secret is rejected", async () => {
  const { kid, publicJwk } = await forger.openSigner();
  const publicKey = createPublicKey({ key: publicJwk, format: "jwk" });
  const secrets = [
    Buffer.from(publicJwk.x ?? "", "base64url"),
    Buffer.from(publicJwk.x ?? "", "utf8"),
    publicKey.export({ type: "spki", format: "der" }),
    Buffer.from(publicKey.export({ type: "spki", format: "pem" })),
    Buffer.from(JSON.stringify(publicJwk)),
  ];
  for (const secret of secrets) {
    const header = { alg: "HS256", typ: "cloudwright+jwt", kid };
    const confused = await new SignJWT(forger.goodClaims())
      .setProtectedHeader(header)
      .sign(createHash("sha256").update(secret).digest());
    await expect(tokens.verify(confused, "cloudwright")).rejects.toEqual(refused);
    const raw = await new SignJWT(forger.goodClaims())
      .setProtectedHeader(header)
      .sign(Buffer.concat([secret, Buffer.alloc(Math.max(0, 32 - secret.length))]));
    await expect(tokens.verify(raw, "cloudwright")).rejects.toEqual(refused);
  }
});

test("M005 a valid signature with another algorithm name is rejected", async () => {
  const { kid, privateJwk } = await forger.openSigner();
  const text = `${encode({ alg: "Ed25519", typ: "cloudwright+jwt", kid })}.${encode(forger.goodClaims())}`;
  const key = { key: privateJwk as never, format: "jwk" } as unknown as KeyObject;
  const signature = sign(null, Buffer.from(text), key).toString("base64url");
  await expect(tokens.verify(`${text}.${signature}`, "cloudwright")).rejects.toEqual(refused);
});

test("M005 a foreign key is rejected, under its own id, under ours, and when the token contains it", async () => {
  const { kid } = await forger.openSigner();
  const stranger = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  const jwk = await exportJWK(stranger.publicKey);
  const header = { alg: "EdDSA", typ: "cloudwright+jwt" };
  for (const rest of [{ kid: "theirs" }, { kid }, { jwk }, { kid, jwk }, { kid, jku: "https://example.com/jwks.json" }, {}]) {
    const forged = await new SignJWT(forger.goodClaims()).setProtectedHeader({ ...header, ...rest }).sign(stranger.privateKey);
    await expect(tokens.verify(forged, "cloudwright")).rejects.toEqual(refused);
  }
});

test("M005 a token that was changed after signing is rejected, even after the original was verified", async () => {
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

test("M005 a verified token is still rejected for another audience, and once it has expired", async () => {
  const { token } = await issue({ ttlSeconds: 60 });
  await tokens.verify(token, "cloudwright");
  await expect(tokens.verify(token, "billing")).rejects.toEqual(refused);
  clock.advance(65_000);
  await expect(tokens.verify(token, "cloudwright")).rejects.toEqual(refused);
});

test("M005 exactly one of many concurrent uses of a single-use token is accepted, across all replicas", async () => {
  const { token } = await issue({ singleUse: true });
  const replicas = [tokens, createReplica(), createReplica()];
  const uses = await Promise.allSettled(
    [1, 2, 3, 4].flatMap(() => replicas.map((replica) => replica.verify(token, "cloudwright"))),
  );
  expect(uses.filter((use) => use.status === "fulfilled")).toHaveLength(1);
  expect(uses.filter((use) => use.status === "rejected").map((use): unknown => use.reason)).toEqual(
    Array.from({ length: 11 }, () => refused),
  );
});

test("M005 a used token stays used for as long as a skewed clock could accept it", async () => {
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
  "M005 a token with a lifetime of %d seconds is not issued",
  async (ttlSeconds) => {
    await expect(issue({ ttlSeconds })).rejects.toMatchObject({ code: "api.invalid", fields: [{ field: "ttlSeconds" }] });
  },
);

test("M097 no token and no key appears in logs or faults", async () => {
  const { token } = await issue({ singleUse: true });
  await tokens.verify(token, "cloudwright");
  const { privateJwk } = await forger.openSigner();
  const faults: unknown[] = [];
  for (const bad of [token, `${token}x`, await forger.forge({ ...forger.goodClaims(), aud: "billing" })]) {
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

test("M005 any text sent as a token is rejected without a server error", async () => {
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
