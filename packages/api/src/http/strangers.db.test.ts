import { createManualClock, createUid, systemClock } from "@cloudwright/platform";
import { connect as connectHttp2 } from "node:http2";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createAccount, startSimulatingRun } from "../testing/simulating-run.ts";
import { joinTestAgent } from "../testing/test-agent.ts";
import { startTestApi, type TestApi } from "../testing/test-api.ts";

const newUid = (): string => createUid(systemClock.now());
const bogus = (): string => `Basic ${Buffer.from(`${newUid()}:cws_${"x".repeat(43)}`).toString("base64")}`;

const json = { "content-type": "application/json" };

describe("X063 a stranger with made-up credentials", () => {
  const clock = createManualClock(systemClock.now());
  let api: TestApi;

  /** The clock is frozen, so that rate limits are never refilled. */
  beforeAll(async () => {
    api = await startTestApi({ clock, requestsPerSecond: 50 });
  });
  afterAll(() => api.close());
  afterEach(() => vi.restoreAllMocks());

  test("causes a limited number of database queries, and does not lock out honest clients at the same address", async () => {
    const agent = await joinTestAgent(api, "system", "ada");
    const sign = (): Promise<string> => {
      const iat = Math.floor(clock.now() / 1000);
      return agent.sign({ iat, exp: iat + 300 });
    };
    const run = await startSimulatingRun(api, await sign(), await createAccount(api));
    const token = (await api.must("POST", "/v1/tokens", { body: { audience: "cloudwright", ttlSeconds: 60 } })).body as never as {
      token: string;
    };
    const queries = [vi.spyOn(api.deps.pool, "query"), vi.spyOn(api.deps.heartbeatPool, "query")];
    const count = (): number => queries.reduce((sum, { mock }) => sum + mock.calls.length, 0);

    const basic = (method: string, path: string, body?: string) => ({ method, path, body, headers: { authorization: bogus() } });
    const forged = `${Buffer.from(JSON.stringify({ alg: "EdDSA", typ: "agent+jwt", kid: newUid() })).toString("base64url")}.e30.AAAA`;
    const attempts = Array.from({ length: 60 }, () => [
      basic("GET", `/v1/states/${newUid()}`),
      basic("LOCK", run.path, '{"ID":"x"}'),
      basic("UNLOCK", run.path, '{"ID":"x"}'),
      basic("POST", `/v1/simulator/${run.accountUid}/batch`, '{"acts":[]}'),
      { method: "GET", path: "/v1/whoami", key: forged },
      { method: "GET", path: "/v1/whoami", key: `cw_${"y".repeat(43)}` },
      { method: "GET", path: "/v1/session", headers: { cookie: `cloudwright_session=${"z".repeat(43)}` } },
    ]).flat();
    const statuses = await Promise.all(attempts.map(async (attempt) => (await api.send(attempt)).status));
    expect([...new Set(statuses)].toSorted((a, b) => a - b)).toEqual([401, 429]);
    // The limits allow at most 50 lookups and 10 audit records.
    expect(count()).toBeLessThanOrEqual(60);

    // Valid credentials are still accepted: a known API key, a token and an agent's token that are new to this server, and a run's
    // credential.
    expect((await api.call("GET", "/v1/whoami")).status).toBe(200);
    expect((await api.call("GET", "/v1/whoami", { key: token.token })).status).toBe(200);
    expect((await api.call("POST", "/v1/worker/heartbeat", { key: await sign(), body: {} })).status).toBe(200);
    expect((await run.lock("lock-1")).status).toBe(200);
    expect((await run.batch([{ do: "list" }])).status).toBe(200);
    expect((await run.unlock("lock-1")).status).toBe(200);
  });
});

test("X063 after a restart, a stranger with made-up credentials does not lock out other clients at the same address", async () => {
  const clock = createManualClock(systemClock.now());
  const first = await startTestApi({ clock, requestsPerSecond: 50 });
  try {
    const agent = await joinTestAgent(first, "system", "ada");
    const iat = Math.floor(clock.now() / 1000);
    const token = await agent.sign({ iat, exp: iat + 300 });
    const { key } = await first.createPerson("grace", [{ project: "default", role: "viewer" }]);
    const signedIn = await first.send({ method: "POST", path: "/v1/session", body: JSON.stringify({ key }), headers: json });
    const cookie = /cloudwright_session=[^;]+/.exec(String(signedIn.headers["set-cookie"]))?.[0] ?? "";
    // Like a server after a restart, the replica has not accepted any credentials yet.
    const replica = await first.startReplica();
    const guesses = Array.from({ length: 200 }, (_, index) => `cw_${String(index).padStart(43, "y")}`);
    const attempts = guesses.map(async (guess) => (await replica.send({ method: "GET", path: "/v1/whoami", key: guess })).status);
    expect(new Set(await Promise.all(attempts))).toEqual(new Set([401, 429]));

    const whoami = (headers: Record<string, string>) => replica.send({ method: "GET", path: "/v1/whoami", headers });
    expect((await whoami({ authorization: `Bearer ${key}` })).status).toBe(200);
    expect((await whoami({ cookie })).status).toBe(200);
    const beat = {
      method: "POST",
      path: "/v1/worker/heartbeat",
      body: "{}",
      headers: { ...json, authorization: `Bearer ${token}` },
    };
    expect((await replica.send(beat)).status).toBe(200);
  } finally {
    await first.close();
  }
});

describe("X063 the server does not parse a body before it has authenticated the sender", () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  /** Sends a malformed body over HTTP/2, without a Content-Length header. */
  function sendHttp2(method: string, path: string, headers: Record<string, string>, bytes: number): Promise<number> {
    return new Promise((resolve, reject) => {
      // Each request has its own connection, because the rest of a body that the server does not read stays in the client's memory.
      const session = connectHttp2(api.url);
      const stream = session.request({ ":method": method, ":path": path, "content-type": "application/json", ...headers });
      stream.on("response", ({ ":status": status }) => {
        resolve(status ?? 0);
        session.destroy();
      });
      stream.on("error", reject);
      stream.resume();
      stream.end("[".repeat(bytes));
    });
  }

  const account = newUid();
  const places = [
    ["POST", "/v1/projects/default/networks", 401],
    ["PATCH", "/v1/projects/default", 401],
    ["POST", "/v1/projects/default/networks/main:retry", 401],
    ["POST", `/v1/simulator/${account}/batch`, 401],
    ["POST", `/v1/simulator/${account}/clusters`, 401],
    ["POST", `/v1/simulator/${account}/clusters/tokens`, 401],
    ["LOCK", `/v1/states/${account}`, 401],
    ["UNLOCK", `/v1/states/${account}`, 401],
    ["POST", `/v1/states/${account}`, 401],
    ["PUT", `/v1/states/${account}/plans/${account}`, 401],
    ["POST", "/v1/unknown", 404],
  ] as const;

  test.each(places)("%s %s", async (method, path, status) => {
    for (const authorization of [undefined, bogus(), `Bearer cw_${"a".repeat(43)}`]) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      for (const bytes of [16, 30_000, 900_000])
        expect([bytes, await sendHttp2(method, path, headers, bytes)]).toEqual([bytes, status]);
      expect((await api.send({ method, path, headers, body: Buffer.from("[[") })).status).toBe(status);
    }
  });

  test("and parses it afterwards", async () => {
    const headers = { authorization: `Bearer ${api.adminKey}` };
    expect(await sendHttp2("POST", "/v1/projects/default/networks", headers, 900_000)).toBe(400);
  });
});
