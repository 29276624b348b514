import { createManualClock } from "@cloudwright/platform/clock";
import { expect, test } from "vitest";
import { createClient, Fault, type ClientOptions } from "./index.ts";
import { connectionRefused, createFakeServer, problem } from "./testing/index.ts";

/** Creates a clock that records each sleep and ends it immediately. */
function hurriedClock() {
  const slept: number[] = [];
  return { slept, clock: { ...createManualClock(), sleep: async (ms: number) => void slept.push(ms) } };
}

function connect(options: Partial<ClientOptions> = {}) {
  const server = createFakeServer();
  const { clock, slept } = hurriedClock();
  const client = createClient({ server: "http://server", apiKey: server.key, fetch: server.fetch, clock, ...options });
  return { server, client, slept };
}

async function faultOf(work: Promise<unknown>): Promise<Fault> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Fault) return error;
  throw new Error(`expected a fault, got ${String(error)}`);
}

test("M016 a problem response becomes a fault with code, help, fields and status", async () => {
  const { server, client } = connect();
  const fields = [{ field: "spec.cidr", message: "is no range" }];
  server.answerOnce("POST", /networks$/, () => problem(400, "api.invalid", "bad network", { fields, requestId: "r1" }));
  const fault = await faultOf(client.networks.create("default", { metadata: { name: "n" } }));
  expect(fault).toMatchObject({
    code: "api.invalid",
    kind: "invalid",
    help: "Look again.",
    fields,
    extra: { status: 400, requestId: "r1" },
  });
});

test("M016 a response that is not from this API is reported as such", async () => {
  const { server, client } = connect();
  server.answerOnce("GET", /whoami/, () => new Response("<html>", { status: 404 }));
  server.answerOnce("GET", /whoami/, () => new Response("<html>", { status: 200 }));
  expect(await faultOf(client.whoAmI())).toMatchObject({ code: "client.bad_answer", kind: "not_found" });
  expect(await faultOf(client.whoAmI())).toMatchObject({ code: "client.bad_answer", kind: "internal" });
});

test("M016 refused connections and 503 are retried with growing pauses", async () => {
  const { server, client, slept } = connect();
  server.answerOnce("DELETE", /clusters/, connectionRefused);
  server.answerOnce("DELETE", /clusters/, () => problem(503, "api.starting", "not yet"));
  await client.clusters.create("default", { metadata: { name: "c" } });
  await client.clusters.delete("default", "c");
  expect(slept).toHaveLength(2);
  expect(slept[1]).toBeGreaterThan((slept[0] as number) * 1.1);
});

test("M016 a Retry-After is respected, up to a limit", async () => {
  const { server, client, slept } = connect();
  const limited = (seconds: string) => () => {
    const answer = problem(429, "api.rate_limited", "slower");
    answer.headers.set("retry-after", seconds);
    return answer;
  };
  server.answerOnce("GET", /whoami/, limited("2"));
  server.answerOnce("GET", /whoami/, limited("3600"));
  await client.whoAmI();
  expect(slept).toEqual([2000, 5000]);
});

test("M016 after the last attempt the last fault is thrown", async () => {
  const { server, client } = connect({ retries: 2 });
  for (let i = 0; i < 3; i += 1) server.answerOnce("GET", /whoami/, connectionRefused);
  expect((await faultOf(client.whoAmI())).code).toBe("client.unreachable");
  expect(server.requests).toHaveLength(3);
});

test("M016 a delete whose response was lost is not repeated, but a create is, with the same key", async () => {
  const { server, client } = connect();
  const reset = () => new TypeError("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) });
  server.answerOnce("POST", /clusters$/, reset);
  await client.clusters.create("default", { metadata: { name: "c" } });
  const keys = server.requests.map((request) => request.headers.get("idempotency-key"));
  expect(keys).toHaveLength(2);
  expect(keys[0]).toBe(keys[1]);
  server.answerOnce("DELETE", /clusters/, reset);
  expect((await faultOf(client.clusters.delete("default", "c"))).code).toBe("client.unreachable");
  expect(server.requests.filter((request) => request.method === "DELETE")).toHaveLength(1);
});

test("M016 a key that is not a valid header value is rejected, and the fault does not repeat it", async () => {
  const { client, server } = connect({ apiKey: "cw_se\ncret" });
  const fault = await faultOf(client.whoAmI());
  expect(fault.code).toBe("client.bad_key");
  expect(fault.message).not.toContain("cret");
  expect(server.requests).toEqual([]);
});

test("M016 the key may be a function, which is called for each request", async () => {
  const keys = ["wrong", "cw_test_key"];
  const { client } = connect({ apiKey: () => keys.shift() ?? "" });
  expect((await faultOf(client.whoAmI())).kind).toBe("unauthenticated");
  expect(await client.whoAmI()).toMatchObject({ user: "admin" });
});

test.each(["ftp://x", "nonsense", "http://user:secret@host"])("M016 %s is not a server address", (server) => {
  expect(() => createClient({ server })).toThrowError(expect.objectContaining({ code: "client.bad_server" }));
});

test.each(["", ".", ".."])("M016 the name %j cannot leave its collection", async (name) => {
  const { client, server } = connect();
  expect((await faultOf(client.clusters.get("default", name))).code).toBe("client.bad_name");
  expect(server.requests).toEqual([]);
});

test("M016 a server that does not respond in time causes a timeout", async () => {
  const hang: typeof fetch = (_, init) =>
    new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error)));
  const { client } = connect({ fetch: hang, timeoutMs: 1, retries: 1 });
  expect((await faultOf(client.whoAmI())).code).toBe("client.timeout");
});

test("M016 an aborted call rejects with the signal's own reason", async () => {
  const { client, server } = connect();
  const controller = new AbortController();
  server.answerOnce("GET", /whoami/, () => {
    controller.abort(new Error("enough"));
    return connectionRefused();
  });
  await expect(client.whoAmI({ signal: controller.signal })).rejects.toThrow("enough");
});

test("M222 warnings are passed to the request's callback, or else to the client's", async () => {
  const ofClient: string[] = [];
  const ofRequest: string[] = [];
  const { server, client } = connect({ onWarning: (warning) => ofClient.push(warning) });
  server.warn = ["1.30 is old"];
  await client.environments.create("default", { metadata: { name: "a" } }, { onWarning: (warning) => ofRequest.push(warning) });
  expect([ofClient, ofRequest]).toEqual([[], ["1.30 is old"]]);
  await client.environments.create("default", { metadata: { name: "b" } });
  expect([ofClient, ofRequest]).toEqual([["1.30 is old"], ["1.30 is old"]]);
});
