import { expect, test } from "vitest";
import { createClient } from "./index.ts";
import { createFakeServer } from "./testing/index.ts";

const project = "/v1/projects/default";

async function connect() {
  const server = createFakeServer();
  const client = createClient({ server: "http://server/", apiKey: server.key, fetch: server.fetch });
  const { metadata } = await client.clusters.create("default", { metadata: { name: "dev" } });
  for (const [uid, state] of [
    ["r-1", "DONE"],
    ["r-2", "NEEDS_APPROVAL"],
  ] as const)
    server.setRun(`${project}/runs/${uid}`, { run: { uid, state, entityUid: metadata.uid }, changes: [{ action: "create" }] });
  server.setDrift(`${project}/drifts/d-1`, { uid: "d-1", state: "OPEN", entityUid: metadata.uid, foundAt: "2026-01-02" });
  server.setDrift(`${project}/drifts/d-0`, { uid: "d-0", state: "GONE", entityUid: "other", foundAt: "2026-01-01" });
  return { server, client, entity: metadata.uid };
}

async function readAll<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test("M077 runs are listed newest first, by entity and state, page by page", async () => {
  const { client, entity } = await connect();
  expect(await readAll(client.runs.listAll("default", { pageSize: 1 }))).toMatchObject([{ uid: "r-2" }, { uid: "r-1" }]);
  expect((await client.runs.list("default", { entity, state: "DONE" })).items).toMatchObject([{ uid: "r-1" }]);
  expect((await client.runs.list("default", { entity: "other" })).items).toEqual([]);
  expect(await client.runs.get("default", "r-1")).toMatchObject({ state: "DONE" });
  expect(await client.runs.plan("default", "r-1")).toMatchObject({ run: { uid: "r-1" }, changes: [{ action: "create" }] });
});

test("X032 a plan is approved or discarded once, with a comment, and the request is not repeated", async () => {
  const { client, server } = await connect();
  expect(await client.runs.approve("default", "r-2", { comment: "seen" })).toMatchObject({
    approvedBy: "admin",
    comment: "seen",
  });
  await expect(client.runs.approve("default", "r-2")).rejects.toMatchObject({ kind: "conflict" });
  expect(await client.runs.discard("default", "r-2")).toMatchObject({ state: "DISCARDED" });
  const sent = server.requests.length;
  server.answerOnce("POST", /:approve$/, () => new TypeError("fetch failed", { cause: new Error("reset") }));
  await expect(client.runs.approve("default", "r-2")).rejects.toMatchObject({ code: "client.unreachable" });
  expect(server.requests).toHaveLength(sent + 1);
});

test("X033 open drift is listed, accepted or corrected, and the response names the operation", async () => {
  const { client, entity } = await connect();
  expect((await client.drifts.list("default")).items).toMatchObject([{ uid: "d-1" }]);
  expect(await readAll(client.drifts.listAll("default", { all: true }))).toHaveLength(2);
  expect(await client.drifts.get("default", entity)).toMatchObject({ uid: "d-1" });
  const told: string[] = [];
  const onAccepted = (operation: string): void => void told.push(operation);
  await client.drifts.correct("default", "d-1", { onAccepted });
  expect(await client.drifts.accept("default", "d-1", { onAccepted })).toMatchObject({ state: "ACCEPTED" });
  expect((await Promise.all(told.map((name) => client.operations.get("default", name)))).map(({ spec }) => spec?.verb)).toEqual([
    "correct",
    "update",
  ]);
  await expect(client.drifts.accept("default", "d-1")).rejects.toMatchObject({ kind: "conflict" });
});

test("X032 the changes that a request allows are sent as one parameter", async () => {
  const { client, server } = await connect();
  await client.clusters.patch("default", "dev", { spec: { workers: 3 } }, { allow: ["replace", "delete"] });
  expect(server.requests.at(-1)?.query.getAll("allow")).toEqual(["replace,delete"]);
  await client.clusters.update("default", "dev", { spec: { workers: 4 } }, { allow: ["replace"] });
  expect(server.requests.at(-1)?.query.toString()).toBe("allow=replace");
  await client.clusters.update("default", "dev", { spec: { workers: 5 } }, { allow: [] });
  expect(server.requests.at(-1)?.query.toString()).toBe("");
});
