import { Secret } from "@cloudwright/platform";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { deliverPlan } from "./plan-endpoint.ts";
import type { StateAccess } from "../task.ts";

/** Starts an endpoint that responds with the given statuses in turn, without waiting for the request body. The last status is repeated. */
async function startEndpoint(
  statuses: readonly number[],
  retryAfter: string,
): Promise<{ endpoint: StateAccess; calls(): number }> {
  let calls = 0;
  const server = createServer((request, response) => {
    response.writeHead(statuses[Math.min(calls, statuses.length - 1)] ?? 500, { "retry-after": retryAfter });
    calls += 1;
    response.end();
    request.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/s`;
  const endpoint = { address, lockAddress: address, unlockAddress: address, username: "task", password: new Secret("word") };
  return { endpoint, calls: () => calls };
}

const plan = {
  serial: 0,
  lineage: "",
  counts: { create: 0, update: 0, replace: 0, delete: 0, import: 0 },
  changes: [],
  drift: [],
  dependencies: [],
  parcel: Buffer.alloc(4 * 1024 * 1024, 1),
} as unknown as Parameters<typeof deliverPlan>[2];

test("X063 an agent whose upload is rejected with 429 repeats it after the pause that the server requests", async () => {
  const { endpoint, calls } = await startEndpoint([429, 429, 429, 204], "0");
  await deliverPlan(endpoint, "uid", plan, new AbortController().signal);
  expect(calls()).toBe(4);
});

test("X063 an agent that waits to repeat an upload stops waiting when its task is cancelled", async () => {
  const { endpoint, calls } = await startEndpoint([429], "30");
  const cancelled = new AbortController();
  const delivery = deliverPlan(endpoint, "uid", plan, cancelled.signal);
  await expect.poll(calls).toBe(1);
  cancelled.abort();
  await expect(delivery).rejects.toMatchObject({ name: "AbortError" });
  expect(calls()).toBe(1);
});

test("X063 an agent gives up an upload that is rejected too often, so that its task is retried later", async () => {
  const { endpoint, calls } = await startEndpoint([429], "0");
  const delivery = deliverPlan(endpoint, "uid", plan, new AbortController().signal);
  await expect(delivery).rejects.toMatchObject({ code: "deployer.state_door", retry: "backoff" });
  expect(calls()).toBe(20);
});
