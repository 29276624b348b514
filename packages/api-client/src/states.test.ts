import { expect, test } from "vitest";
import { createClient } from "./index.ts";
import { createFakeServer } from "./testing/index.ts";

function connect() {
  const server = createFakeServer();
  const lock = { id: "l-1", alive: true };
  server.setState("/v1/projects/default/states/u-1", { state: { entityUid: "u-1", lock }, contents: ["{1}", "{2}"] });
  return { server, client: createClient({ server: "http://server/", apiKey: server.key, fetch: server.fetch }) };
}

async function readAll<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test("M072 states are listed and read by the uid of their entity, with versions newest first", async () => {
  const { client } = connect();
  expect((await client.states.list("default")).items).toHaveLength(1);
  expect(await readAll(client.states.listAll("default"))).toMatchObject([{ entityUid: "u-1" }]);
  expect(await client.states.get("default", "u-1")).toMatchObject({ lock: { id: "l-1" } });
  expect(await readAll(client.states.versions("default", "u-1"))).toMatchObject([{ version: 2 }, { version: 1 }]);
  await expect(client.states.get("default", "u-2")).rejects.toMatchObject({ code: "api.not_found" });
});

test("M072 the content of a version and the difference between two are requested by number, by default for the newest", async () => {
  const { client } = connect();
  expect(await client.states.content("default", "u-1")).toMatchObject({ content: "{2}" });
  expect(await client.states.content("default", "u-1", { version: 1 })).toMatchObject({ content: "{1}" });
  expect(await client.states.diff("default", "u-1")).toMatchObject({ from: { version: 1 }, to: { version: 2 } });
  expect(await client.states.diff("default", "u-1", { from: 2, to: 1 })).toMatchObject({
    from: { version: 2 },
    to: { version: 1 },
  });
});

test("X030 a lock is removed by force, and a rollback whose response was lost is not repeated", async () => {
  const { client, server } = connect();
  await expect(client.states.unlock("default", "u-1")).rejects.toMatchObject({ code: "api.state_locked" });
  expect(await client.states.unlock("default", "u-1", { force: true })).not.toHaveProperty("lock");
  expect(await client.states.rollback("default", "u-1", 1)).toMatchObject({ newest: { version: 3, rolledBackTo: 1 } });
  const sent = server.requests.length;
  server.answerOnce("POST", /:rollback$/, () => new TypeError("fetch failed", { cause: new Error("reset") }));
  await expect(client.states.rollback("default", "u-1", 1)).rejects.toMatchObject({ code: "client.unreachable" });
  expect(server.requests).toHaveLength(sent + 1);
});
