import { getMethod } from "@cloudwright/contract";
import { createManualClock } from "@cloudwright/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import { joinTestAgent } from "../testing/test-agent.ts";

const perSecond = 10;

const clock = createManualClock(Date.now() - 7_200_000);

let api: TestApi;
let key: string;

/** The clock is frozen, so that rate limits are never refilled. */
beforeAll(async () => {
  api = await startTestApi({ clock, requestsPerSecond: perSecond });
  const iat = Math.floor(clock.now() / 1000);
  key = await (await joinTestAgent(api, "default", "edge")).sign({ iat, exp: iat + 300 });
});
afterAll(() => api.close());

test("M005 every response contains the server's time, which decides whether tokens are valid", async () => {
  const rest = await api.call("GET", "/v1/whoami");
  const refused = await api.call("POST", "/v1/worker/tasks", { key: "a.b.c", body: {} });
  const rpc = await api.call("POST", `/${getMethod("Work", "lease").id}`, { key: "a.b.c", body: {} });
  const told = [rest, refused, rpc].map(({ status, headers }) => [status, headers.date]);
  expect(told).toEqual([200, 401, 401].map((status) => [status, new Date(clock.now()).toUTCString()]));
});

test("M047 an agent has ten times the usual rate limit, so its heartbeats are not rejected", async () => {
  const beat = async (): Promise<number> => (await api.call("POST", "/v1/worker/heartbeat", { key, body: {} })).status;
  const statuses: number[] = [];
  for (let nth = 0; nth < 20 * perSecond; nth += 1) statuses.push(await beat());
  expect([...new Set(statuses)]).toEqual([200]);
  expect(await beat()).toBe(429);
  expect((await api.call("GET", "/v1/whoami")).status).toBe(200);
});
