import { createUid, systemClock } from "@cloudwright/platform";
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import { anyWork, createAgentKey, joinTestAgent, type TestAgent } from "../testing/test-agent.ts";

let api: TestApi;
let agent: TestAgent;
let other: TestAgent;

beforeAll(async () => {
  api = await startTestApi();
  agent = await joinTestAgent(api, "default", "edge");
  other = await joinTestAgent(api, "default", "other");
});
afterAll(() => api.close());

const seconds = (): number => Math.floor(systemClock.now() / 1000);

async function ask(key: string, path = "/v1/worker/tasks"): Promise<string> {
  const { status, body } = await api.call("POST", path, { key, body: path === "/v1/worker/tasks" ? anyWork : {} });
  return status === 200 ? "200" : `${status} ${body.code}`;
}

describe("M005 an agent's token", () => {
  test("is accepted while it is valid, any number of times", async () => {
    const key = await agent.sign();
    expect(await ask(key)).toBe("200");
    expect(await ask(key)).toBe("200");
    expect((await api.must("GET", "/v1/whoami", { key })).body).toMatchObject({
      user: "agent:edge",
      credential: "agent",
      grants: [],
    });
  });

  const late = (): JWTPayload => ({ iat: seconds() - 400, exp: seconds() - 100 });
  test.each<[string, () => JWTPayload]>([
    ["expired", late],
    ["meant for another audience", () => ({ aud: "elsewhere" })],
    ["meant for several audiences", () => ({ aud: ["cloudwright", "elsewhere"] })],
    ["of another issuer", () => ({ iss: "cloudwright" })],
    ["valid for longer than five minutes", () => ({ exp: seconds() + 301 })],
    ["issued in the future", () => ({ iat: seconds() + 3000, exp: seconds() + 3100 })],
    ["old but not expired", () => ({ iat: seconds() - 400, exp: seconds() + 100 })],
    ["not valid yet", () => ({ nbf: seconds() + 200 })],
    ["about another agent", () => ({ sub: other.uid })],
    ["about nobody", () => ({ sub: undefined as unknown as string })],
    ["without an id", () => ({ jti: undefined as unknown as string })],
    ["without an expiry", () => ({ exp: undefined as unknown as number })],
    ["without a beginning", () => ({ iat: undefined as unknown as number })],
  ])("%s is rejected", async (_, claims) => {
    expect(await ask(await agent.sign(claims()))).toBe("401 api.unauthenticated");
  });

  test("of another type or for another key is rejected", async () => {
    for (const header of [
      { typ: "JWT" },
      { typ: "cloudwright+jwt" },
      { kid: other.uid },
      { kid: createUid(systemClock.now()) },
      { kid: "edge" },
      { kid: undefined as unknown as string },
    ]) {
      expect([header, await ask(await agent.sign({}, header))]).toEqual([header, "401 api.unauthenticated"]);
    }
  });

  test("that is forged with another key, another algorithm or none is rejected", async () => {
    const payload = {
      iss: "cloudwright-agent",
      sub: agent.uid,
      aud: "cloudwright",
      jti: "x",
      iat: seconds(),
      exp: seconds() + 60,
    };
    const header = { typ: "agent+jwt", kid: agent.uid };
    const { privateKey } = await createAgentKey();
    const rsa = await generateKeyPair("RS256");
    // The public key is not secret. A token signed with it as an HMAC secret must be rejected.
    const shared = new TextEncoder().encode(agent.publicKey);
    const [head, body, signature] = (await agent.sign()).split(".") as [string, string, string];
    const changed = Buffer.from(JSON.stringify({ ...payload, jti: "y" })).toString("base64url");
    const unsigned = `${Buffer.from(JSON.stringify({ ...header, alg: "none" })).toString("base64url")}.${body}.`;
    for (const token of [
      await agent.sign({}, {}, privateKey),
      await new SignJWT(payload).setProtectedHeader({ ...header, alg: "RS256" }).sign(rsa.privateKey),
      await new SignJWT(payload).setProtectedHeader({ ...header, alg: "HS256" }).sign(shared),
      new UnsecuredJWT(payload).encode(),
      unsigned,
      `${head}.${changed}.${signature}`,
      `${head}.${body}.`,
      `${head}..${signature}`,
      "a.b.c",
      `${head}.${body}.${signature}${"x".repeat(5000)}`,
    ]) {
      expect([token, await ask(token)]).toEqual([token, "401 api.unauthenticated"]);
    }
  });

  test("is rejected as soon as the agent is deleted or has another key", async () => {
    const [gone, renewed] = [await joinTestAgent(api, "default", "gone"), await joinTestAgent(api, "default", "renewed")];
    const [first, second] = [await gone.sign(), await renewed.sign()];
    expect([await ask(first), await ask(second)]).toEqual(["200", "200"]);
    await api.must("DELETE", "/v1/projects/default/agents/gone");
    const { publicKey } = await createAgentKey();
    await api.must("PATCH", "/v1/projects/default/agents/renewed", { body: { spec: { publicKey } } });
    expect([await ask(first), await ask(second)]).toEqual(["401 api.unauthenticated", "401 api.unauthenticated"]);
  });

  test("of an agent without a usable key is rejected", async () => {
    const { privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
    const whole = await exportJWK(privateKey);
    for (const [index, publicKey] of [
      "",
      "{}",
      "no json",
      JSON.stringify(whole),
      '{"kty":"OKP","crv":"Ed25519","x":"AA"}',
    ].entries()) {
      const body = { metadata: { name: `keyless-${index}` }, spec: { publicKey } };
      const uid = (await api.must("POST", "/v1/projects/default/agents", { body })).body.metadata.uid ?? "";
      const token = await agent.sign({ sub: uid }, { kid: uid }, privateKey);
      expect([publicKey, await ask(token)]).toEqual([publicKey, "401 api.unauthenticated"]);
    }
  });

  test("does not give access to other methods: no role, no key, no token", async () => {
    const key = await agent.sign();
    const outcome = async (method: string, path: string, body?: object): Promise<string> => {
      const answer = await api.call(method, path, { key, ...(body === undefined ? {} : { body: body as never }) });
      return answer.status < 300 ? String(answer.status) : `${answer.status} ${answer.body.code}`;
    };
    expect(await outcome("GET", "/v1/projects/default/agents")).toBe("404 api.not_found");
    expect(await outcome("GET", "/v1/projects/default/tasks")).toBe("404 api.not_found");
    expect(await outcome("POST", "/v1/tokens", { audience: "cloudwright" })).toBe("403 api.denied");
    expect((await outcome("POST", "/v1/apikeys", { metadata: { name: "mine" } })).slice(0, 1)).toBe("4");
    expect((await api.must("GET", "/v1/projects", { key })).body.items).toEqual([]);
  });
});

test("M005 users' credentials cannot be used to lease, renew or finish tasks, whatever the user's role", async () => {
  const helper = await api.createPerson("helper", [{ project: "system", role: "agent" }]);
  for (const key of [helper.key, api.adminKey]) {
    expect(await ask(key)).toBe("403 api.denied");
    expect(await ask(key, "/v1/worker/heartbeat")).toBe("403 api.denied");
  }
  expect(await ask(undefined as unknown as string)).toBe("401 api.unauthenticated");
});
