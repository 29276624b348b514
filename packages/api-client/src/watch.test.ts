import { createManualClock } from "@cloudwright/platform/clock";
import { expect, test } from "vitest";
import { createClient, type Client, type WatchEvent } from "./index.ts";
import { connectionRefused, createFakeServer, problem } from "./testing/index.ts";

function connect() {
  const server = createFakeServer();
  const clock = {
    ...createManualClock(),
    sleep: async (ms: number) => (ms < 60_000 ? undefined : new Promise<void>(() => undefined)),
  };
  return { server, client: createClient({ server: "http://server", apiKey: server.key, fetch: server.fetch, clock }) };
}

/** Watches environments and returns one event at a time, in the form `TYPE name`. */
function reader(client: Client, options: { resourceVersion?: string; onReconnect?: () => void; onOpen?: () => void } = {}) {
  const events = client.environments.watch("default", options)[Symbol.asyncIterator]();
  return {
    next: async () => show((await events.next()).value as WatchEvent<object>),
    stop: () => events.return?.(undefined),
  };
}

function show(event: WatchEvent<object>): string {
  return event.type === "SYNCED" ? "SYNCED" : `${event.type} ${event.object.metadata.name}`;
}

const add = (client: Client, name: string) => client.environments.create("default", { metadata: { name } });

test("X002 a watch yields the existing entities, then SYNCED, then changes", async () => {
  const { client } = connect();
  await add(client, "a");
  const events = reader(client);
  expect([await events.next(), await events.next()]).toEqual(["ADDED a", "SYNCED"]);
  await add(client, "b");
  await client.environments.patch("default", "b", { spec: { description: "x" } });
  await client.environments.delete("default", "a");
  expect([await events.next(), await events.next(), await events.next()]).toEqual(["ADDED b", "MODIFIED b", "DELETED a"]);
  await events.stop();
});

test("X002 a broken stream is resumed where it stopped: nothing is lost or repeated", async () => {
  const { client, server } = connect();
  const events = reader(client);
  expect(await events.next()).toBe("SYNCED");
  await add(client, "a");
  expect(await events.next()).toBe("ADDED a");
  server.breakWatches();
  await add(client, "b");
  expect(await events.next()).toBe("ADDED b");
  const watches = server.requests.filter((request) => request.query.get("watch") === "true");
  expect(watches.map((request) => request.query.get("resourceVersion"))).toEqual([null, "101"]);
  await events.stop();
});

test("X002 if the server no longer has a position, a new list yields only the differences", async () => {
  const { client, server } = connect();
  for (const name of ["same", "changes", "goes"]) await add(client, name);
  const events = reader(client);
  for (let i = 0; i < 4; i += 1) await events.next();
  server.breakWatches("store.watch_expired");
  await client.environments.patch("default", "changes", { spec: { description: "x" } });
  await client.environments.delete("default", "goes");
  await add(client, "new");
  expect([await events.next(), await events.next(), await events.next()]).toEqual([
    "MODIFIED changes",
    "ADDED new",
    "DELETED goes",
  ]);
  await events.stop();
});

test("X002 M008 after permissions change, everything is listed again, and entities that became visible or invisible are reported", async () => {
  const { client, server } = connect();
  for (const name of ["stays", "leaves"]) await add(client, name);
  const events = reader(client);
  for (let i = 0; i < 3; i += 1) await events.next();
  server.breakWatches("api.unauthenticated");
  await client.environments.delete("default", "leaves");
  await add(client, "appears");
  expect([await events.next(), await events.next()]).toEqual(["ADDED appears", "DELETED leaves"]);
  const watches = server.requests.filter((request) => request.query.get("watch") === "true");
  expect(watches.map((request) => request.query.get("resourceVersion"))).toEqual([null, null]);
  await events.stop();
});

test("X002 the caller is notified of each stream that opens, even if nothing has changed", async () => {
  const { client, server } = connect();
  let opened = 0;
  const events = reader(client, { onOpen: () => void (opened += 1) });
  await events.next();
  expect(opened).toBe(1);
  const next = events.next();
  server.breakWatches();
  await expect.poll(() => opened).toBe(2);
  await add(client, "a");
  expect(await next).toBe("ADDED a");
  await events.stop();
});

test("X002 if the first list is interrupted, it starts again and nothing is yielded twice", async () => {
  const { client, server } = connect();
  await add(client, "a");
  await add(client, "b");
  const half = `event: ADDED\ndata: ${JSON.stringify({ type: "ADDED", kind: "Environment", resourceVersion: "101", object: server.find("/v1/projects/default/environments/a") })}\n\n`;
  server.answerOnce("GET", /environments$/, () => new Response(half, { headers: { "content-type": "text/event-stream" } }));
  const events = reader(client);
  expect([await events.next(), await events.next(), await events.next()]).toEqual(["ADDED a", "ADDED b", "SYNCED"]);
  await events.stop();
});

test("X002 the watch waits for an unreachable server, and notifies the caller", async () => {
  const { client, server } = connect();
  let reconnects = 0;
  const events = reader(client, { onReconnect: () => void (reconnects += 1) });
  await events.next();
  for (let i = 0; i < 7; i += 1) server.answerOnce("GET", /environments$/, connectionRefused);
  server.breakWatches();
  await add(client, "a");
  expect(await events.next()).toBe("ADDED a");
  expect(reconnects).toBe(1);
  await events.stop();
});

test("X002 a watch that starts at a version yields only later changes", async () => {
  const { client } = connect();
  const before = await add(client, "a");
  await add(client, "b");
  const events = reader(client, { resourceVersion: before.metadata.resourceVersion });
  expect(await events.next()).toBe("ADDED b");
  await events.stop();
});

test("X002 a denied watch ends with its fault", async () => {
  const { client, server } = connect();
  server.answerOnce("GET", /environments$/, () => problem(403, "auth.denied", "no"));
  await expect(reader(client).next()).rejects.toMatchObject({ code: "auth.denied" });
});

test("X002 an aborted watch ends with the signal's reason", async () => {
  const { client } = connect();
  const controller = new AbortController();
  const events = client.watchProject("default", { signal: controller.signal })[Symbol.asyncIterator]();
  await events.next();
  controller.abort(new Error("enough"));
  await expect(events.next()).rejects.toThrow("enough");
});

test("X002 a bookmark older than the list does not repeat known changes", async () => {
  const { client, server } = connect();
  const message = (type: string, resourceVersion: string) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, kind: "", resourceVersion })}\n\n`;
  const body = message("SYNCED", "12.0") + message("BOOKMARK", "9.40");
  const further = message("BOOKMARK", "12.3");
  const stream = { headers: { "content-type": "text/event-stream" } };
  server.answerOnce("GET", /environments$/, () => new Response(body, stream));
  server.answerOnce("GET", /environments$/, () => new Response(further, stream));
  const events = reader(client);
  expect(await events.next()).toBe("SYNCED");
  const next = events.next();
  await expect.poll(() => server.requests.length).toBe(3);
  expect(server.requests.map((request) => request.query.get("resourceVersion"))).toEqual([null, "12.0", "12.3"]);
  await add(client, "a");
  expect(await next).toBe("ADDED a");
  await events.stop();
});
