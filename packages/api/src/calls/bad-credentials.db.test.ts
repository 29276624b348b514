import { generateKeyPairSync } from "node:crypto";
import { methods, type Method } from "@cloudwright/contract";
import { createLogger, createManualClock } from "@cloudwright/platform";
import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createForger } from "../identity/testing.ts";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import { callConnect } from "../testing/connect-call.ts";

const clock = createManualClock();
const lines: string[] = [];
const environments = "/v1/projects/default/environments";

let api: TestApi;
let made = 0;

beforeAll(async () => {
  const log = createLogger({ level: "trace", name: "test", stream: { write: (line) => void lines.push(line) } });
  api = await startTestApi({ clock, log });
});
afterAll(() => api.close());

/** Sends a credential to every endpoint and checks that nothing is stored. */
async function tryEndpoints(authorization: string | undefined): Promise<string[]> {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const before = await api.countStored();
  made += 1;
  const body = { metadata: { name: `e-${made}` } };
  const rest = [
    await api.send({ method: "GET", path: environments, headers }),
    await api.send({ method: "POST", path: environments, headers, body }),
    await api.send({ method: "GET", path: `${environments}?watch=true`, headers }),
    await api.send({ method: "GET", path: "/v1/projects/default/watch", headers }),
  ];
  const rpc = [
    await callConnect(api.url, getMethodOf("list"), { project: "default" }, { headers }),
    await callConnect(api.url, getMethodOf("create"), { project: "default", entity: body }, { headers }),
    await callConnect(api.url, getMethodOf("watch"), { project: "default" }, { headers }),
  ];
  expect(await api.countStored()).toEqual(before);
  return [
    ...rest.map(({ status, body: { code } }) => `${status} ${code}`),
    ...rpc.map(({ code, reason }) => `${code} ${reason}`),
  ];
}

const rejectedEverywhere = [
  ...Array.from({ length: 4 }, () => "401 api.unauthenticated"),
  ...Array.from({ length: 3 }, () => "Unauthenticated api.unauthenticated"),
];

function getMethodOf(verb: string): Method {
  const method = methods.find((candidate) => candidate.verb === verb && candidate.kind === "Environment");
  if (method === undefined) throw new Error(`no ${verb}`);
  return method;
}

async function createKey(user: string, spec: { expiresAt?: string } = {}): Promise<{ path: string; key: string }> {
  made += 1;
  const { body } = await api.must("POST", "/v1/apikeys", { body: { metadata: { name: `k-${made}` }, spec: { user, ...spec } } });
  return { path: `/v1/apikeys/k-${made}`, key: body.status["key"] as string };
}

async function createToken(options: { audience?: string; singleUse?: boolean } = {}): Promise<string> {
  const body = { audience: "cloudwright", ttlSeconds: 60, ...options };
  return ((await api.must("POST", "/v1/tokens", { body })).body as unknown as { token: string }).token;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

describe("M006 every endpoint rejects", () => {
  test.each([
    ["no credential", undefined],
    ["an empty credential", "Bearer "],
    ["another scheme", "Basic YWRtaW46YWRtaW4="],
    ["no scheme", "admin"],
    ["two credentials", "Bearer one two"],
    ["a credential that is neither a key nor a token", "Bearer secret"],
    ["an unknown key", `Bearer cw_${"a".repeat(43)}`],
    ["SQL for a key", "Bearer cw_'or''='"],
    ["a very long credential", `Bearer ${"a.".repeat(4000)}`],
  ])("%s", async (_, authorization) => {
    expect(await tryEndpoints(authorization)).toEqual(rejectedEverywhere);
  });

  test("a key that has expired, was revoked or was replaced", async () => {
    await api.createPerson("ada", [{ project: "default", role: "owner" }]);
    const expiring = await createKey("ada", { expiresAt: new Date(clock.now() + 1000).toISOString() });
    const revoked = await createKey("ada");
    const replaced = await createKey("ada");
    expect((await api.call("GET", environments, { key: expiring.key })).status).toBe(200);
    clock.advance(1000);
    await api.must("DELETE", revoked.path);
    await api.must("POST", `${replaced.path}:rotate`, { body: {} });
    for (const { key } of [expiring, revoked, replaced]) expect(await tryEndpoints(`Bearer ${key}`)).toEqual(rejectedEverywhere);
  });

  test("a key whose user was disabled or deleted", async () => {
    const [eve, mallory] = [await api.createPerson("eve"), await api.createPerson("mallory")];
    await api.must("PATCH", "/v1/users/eve", { body: { spec: { disabled: true } } });
    await api.must("DELETE", "/v1/users/mallory?cascade=true");
    for (const { key } of [eve, mallory]) expect(await tryEndpoints(`Bearer ${key}`)).toEqual(rejectedEverywhere);
  });
});

describe("M005 every endpoint rejects", () => {
  test("a token that has expired", async () => {
    const token = await createToken();
    expect((await api.call("GET", environments, { key: token })).status).toBe(200);
    clock.advance(66_000);
    expect(await tryEndpoints(`Bearer ${token}`)).toEqual(rejectedEverywhere);
  });

  test("a token for another audience", async () => {
    expect(await tryEndpoints(`Bearer ${await createToken({ audience: "agent" })}`)).toEqual(rejectedEverywhere);
  });

  test("a single-use token that was used before", async () => {
    const token = await createToken({ singleUse: true });
    expect((await api.call("GET", environments, { key: token })).status).toBe(200);
    expect(await tryEndpoints(`Bearer ${token}`)).toEqual(rejectedEverywhere);
  });

  test("a token without a signature, with a foreign signature or with a changed claim", async () => {
    const [header = "", payload = "", signature = ""] = (await createToken()).split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
    const kid = (JSON.parse(Buffer.from(header, "base64url").toString()) as { kid: string }).kid;
    const stranger = generateKeyPairSync("ed25519").privateKey;
    const forged = [
      `${encode({ alg: "none", typ: "cloudwright+jwt" })}.${payload}.`,
      `${encode({ alg: "none", typ: "cloudwright+jwt", kid })}.${payload}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${encode({ ...claims, exp: Number(claims["exp"]) + 60 })}.${signature}`,
      await new SignJWT(claims).setProtectedHeader({ alg: "EdDSA", typ: "cloudwright+jwt", kid }).sign(stranger),
      await new SignJWT(claims)
        .setProtectedHeader({ alg: "HS256", typ: "cloudwright+jwt", kid })
        .sign(Buffer.from(kid.repeat(4))),
    ];
    for (const token of forged) expect(await tryEndpoints(`Bearer ${token}`)).toEqual(rejectedEverywhere);
  });

  test("a token signed with our own key that is valid for too long or does not name a user", async () => {
    const forger = createForger(api.deps);
    const good = forger.goodClaims();
    const tokens = [await forger.forge({ ...good, exp: (good.exp ?? 0) + 3600 }), await forger.forge(good)];
    for (const token of tokens) expect(await tryEndpoints(`Bearer ${token}`)).toEqual(rejectedEverywhere);
  });
});

test("M097 a presented credential never appears in the log, the audit log or a response", async () => {
  const canary = `cw_${"canary".repeat(7)}x`;
  const token = await createToken();
  await tryEndpoints(`Bearer ${canary}`);
  const answer = await api.send({ method: "GET", path: environments, key: canary });
  await api.call("GET", environments, { key: token });
  const { rows } = await api.pool.query<{ text: string }>({
    text: "select row_to_json(a)::text as text from audit a",
    values: [],
  });
  const everything = [...lines, ...rows.map(({ text }) => text), answer.text, JSON.stringify(answer.headers)].join("\n");
  expect(lines.length).toBeGreaterThan(0);
  for (const secret of [canary, token, token.split(".")[2] ?? "", api.adminKey]) expect(everything).not.toContain(secret);
});
