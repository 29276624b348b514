import { expect, test } from "vitest";
import { createTenantTurns } from "./tenant-turns.ts";

const present = new AbortController().signal;

/** Starts requests that end only when the test says so, and records the order in which they start. */
function openRequests(limits: { readonly running: number; readonly perTenant: number }) {
  const turns = createTenantTurns(limits);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const request = (tenant: string, name: string, gone: AbortSignal = present): Promise<void> =>
    turns.run(tenant, gone, () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const settle = async (): Promise<void> => {
    for (let nth = 0; nth < 10; nth += 1) await Promise.resolve();
  };
  const end = async (name: string): Promise<void> => {
    await settle();
    ends.get(name)?.();
    await settle();
  };
  return { started, request, end };
}

test("X063 a tenant with many requests runs only a few of them at the same time", async () => {
  const { started, request, end } = openRequests({ running: 4, perTenant: 2 });
  const all = ["a1", "a2", "a3", "a4"].map((name) => request("a", name));
  await end("");
  expect(started).toEqual(["a1", "a2"]);
  for (const name of ["a1", "a2", "a3", "a4"]) await end(name);
  await Promise.all(all);
  expect(started).toEqual(["a1", "a2", "a3", "a4"]);
});

test("X063 tenants take turns: the first request of one is served before the backlog of another", async () => {
  const { started, request, end } = openRequests({ running: 1, perTenant: 1 });
  const all = [request("a", "a1"), request("a", "a2"), request("a", "a3"), request("b", "b1")];
  for (const name of ["a1", "b1", "a2", "a3"]) await end(name);
  await Promise.all(all);
  expect(started).toEqual(["a1", "b1", "a2", "a3"]);
});

test("X063 a client that disconnects while it waits gives up its place", async () => {
  const { started, request, end } = openRequests({ running: 1, perTenant: 1 });
  const client = new AbortController();
  const first = request("a", "a1");
  const second = request("a", "a2", client.signal);
  const third = request("a", "a3");
  client.abort();
  await expect(second).rejects.toThrow("aborted");
  await end("a1");
  await end("a3");
  await Promise.all([first, third]);
  expect(started).toEqual(["a1", "a3"]);
});
