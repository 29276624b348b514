import { createClient, type Client, type WatchEvent } from "@cloudwright/api-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHome, removeHome } from "./home-directory.ts";
import { startServer, type RunningServer } from "./server.ts";

let home: string;
let server: RunningServer;
let client: Client;

beforeAll(async () => {
  home = await createHome();
  // Without a reconciler no work starts, so entities are deleted immediately.
  server = await startServer({ home, environment: { CLOUDWRIGHT_ROLES: "api" } });
  client = createClient({ server: server.address, apiKey: server.adminKey, retries: 10 });
});
afterAll(async () => {
  await server?.stop();
  await removeHome(home);
});

const add = (name: string) => client.environments.create("default", { metadata: { name } });

test("M016 entities of every kind are created, read, listed and deleted with the typed client", async () => {
  await client.accounts.create("default", { metadata: { name: "a" }, spec: { simulated: true, aws: {} } });
  await client.networks.create("default", { metadata: { name: "n" }, spec: { account: "a" } });
  await client.clusters.create("default", { metadata: { name: "c" }, spec: { network: "n", workers: 1 } });
  await client.nodePools.create("default", "c", { metadata: { name: "p" }, spec: { min: 1, desired: 1, max: 2 } });
  await client.storages.create("default", { metadata: { name: "s" }, spec: { cluster: "c", bucket: {} } });
  expect((await client.nodePools.get("default", "c", "p")).spec?.max).toBe(2);
  expect((await client.clusters.patch("default", "c", { spec: { workers: 3 } })).metadata.generation).toBe(2);
  expect((await client.clusters.pause("default", "c")).metadata.paused).toBe(true);
  const names: string[] = [];
  for await (const { metadata } of client.storages.listAll("default", { parent: "c", pageSize: 1 })) names.push(metadata.name);
  expect(names).toEqual(["s"]);
  await expect(client.accounts.delete("default", "a")).rejects.toMatchObject({ kind: "conflict", extra: { status: 409 } });
  await client.accounts.delete("default", "a", { cascade: true });
  await expect(client.clusters.get("default", "c")).rejects.toMatchObject({ kind: "not_found" });
});

test("M016 an update with a stale version is rejected with the current version", async () => {
  const made = await client.users.create({ metadata: { name: "ann" } });
  await client.users.patch("ann", { spec: { displayName: "Ann" } });
  const stale = client.users.update("ann", { metadata: { name: "ann", resourceVersion: made.metadata.resourceVersion } });
  await expect(stale).rejects.toMatchObject({ kind: "conflict" });
});

test("M016 sending the same create request twice creates one entity", async () => {
  const twice = { idempotencyKey: "once-only" };
  const [one, two] = [
    await client.users.create({ metadata: { name: "bob" } }, twice),
    await client.users.create({ metadata: { name: "bob" } }, twice),
  ];
  expect(two.metadata.uid).toBe(one.metadata.uid);
});

test("X002 a watch survives a kill and restart of the server without losing or repeating a change", async () => {
  const told: string[] = [];
  const stop = new AbortController();
  const show = (event: WatchEvent<object>): string =>
    event.type === "SYNCED" ? "SYNCED" : `${event.type} ${event.object.metadata.name}`;
  const reading = (async () => {
    for await (const event of client.environments.watch("default", { signal: stop.signal })) told.push(show(event));
  })();
  reading.catch(() => undefined);
  await add("before");
  await expect.poll(() => told, { timeout: 60_000 }).toContain("ADDED before");
  await server.kill9();
  server = await startServer({ home, environment: { CLOUDWRIGHT_LISTEN: new URL(server.address).host } });
  for (const name of ["after-1", "after-2"]) await add(name);
  await client.environments.delete("default", "before");
  await expect.poll(() => told, { timeout: 60_000 }).toContain("DELETED before");
  stop.abort(new Error("enough"));
  await expect(reading).rejects.toThrow("enough");
  expect(told.filter((text) => text !== "SYNCED")).toEqual(["ADDED before", "ADDED after-1", "ADDED after-2", "DELETED before"]);
});

test("X002 the stream of a project contains all kinds and its events", async () => {
  const kinds = new Set<string>();
  const stop = new AbortController();
  const reading = (async () => {
    for await (const event of client.watchProject("default", { signal: stop.signal })) {
      if (event.type === "SYNCED") await add("streamed");
      else kinds.add(event.kind);
      if (kinds.has("Environment") && kinds.has("Event")) return;
    }
  })();
  await reading;
  expect([...kinds]).toEqual(expect.arrayContaining(["Environment", "Event"]));
});
