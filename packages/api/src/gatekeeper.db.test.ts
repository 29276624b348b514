import { createManualClock } from "@cloudwright/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "./testing.ts";
import { joinTestAgent } from "./testing/test-agent.ts";

const perSecond = 10;

let api: TestApi;
let key: string;

/** Its clock stands still, so that nothing that was used up comes back. */
beforeAll(async () => {
  api = await startTestApi({ clock: createManualClock(Date.now()), requestsPerSecond: perSecond });
  key = await (await joinTestAgent(api, "default", "edge")).sign();
});
afterAll(() => api.close());

test("M047 an agent has ten times the allowance of others, so that its heartbeats are not turned away", async () => {
  const beat = async (): Promise<number> => (await api.call("POST", "/v1/worker/heartbeat", { key, body: {} })).status;
  const statuses: number[] = [];
  for (let nth = 0; nth < 20 * perSecond; nth += 1) statuses.push(await beat());
  expect([...new Set(statuses)]).toEqual([200]);
  expect(await beat()).toBe(429);
  expect((await api.call("GET", "/v1/whoami")).status).toBe(200);
});
