import { expect, test } from "vitest";
import { createClient } from "./index.ts";
import { createFakeServer } from "./testing/index.ts";

const path = "/v1/projects/default";

function connect() {
  const server = createFakeServer();
  return { server, client: createClient({ server: "http://server/", apiKey: server.key, fetch: server.fetch }) };
}

test("M053 a change that starts an operation names it, and the operation can be read, cancelled and retried", async () => {
  const { client, server } = connect();
  const { operation = "" } = (await client.clusters.create("default", { metadata: { name: "dev" } })).metadata;
  expect(await client.operations.get("default", operation)).toMatchObject({
    spec: { verb: "create", entityKind: "Cluster", entityName: "dev" },
    status: { state: "WAITING" },
  });
  expect((await client.operations.cancel("default", operation)).spec?.cancelReason).not.toBe("");
  await expect(client.operations.retry("default", operation)).rejects.toMatchObject({ code: "api.not_retryable" });
  server.setStatus(`${path}/operations/${operation}`, { state: "CANCELLED" });
  await expect(client.operations.cancel("default", operation)).rejects.toMatchObject({ code: "api.operation_ended" });
  expect((await client.operations.retry("default", operation)).status?.state).toBe("WAITING");
  expect(server.requests.at(-1)).toMatchObject({ method: "POST", path: `${path}/operations/${operation}:retry`, body: {} });
});

test("M010 the caller gets the name of the operation that carries out a change, if there is one", async () => {
  const { client } = connect();
  const told: string[] = [];
  const onAccepted = (operation: string): void => void told.push(operation);
  const { operation } = (await client.clusters.create("default", { metadata: { name: "dev" } }, { onAccepted })).metadata;
  await client.clusters.patch("default", "dev", { metadata: { annotations: { a: "b" } } }, { onAccepted });
  expect(told).toEqual([operation]);
  await client.clusters.update("default", "dev", { spec: { workers: 3 } }, { onAccepted });
  expect(told).toHaveLength(2);
});

test("M053 a retry whose response was lost is not repeated", async () => {
  const { client, server } = connect();
  server.answerOnce("POST", /:retry$/, () => new TypeError("fetch failed", { cause: new Error("reset") }));
  await expect(client.operations.retry("default", "op-1")).rejects.toMatchObject({ code: "client.unreachable" });
  expect(server.requests).toHaveLength(1);
});

test("M052 a timeline is read with the requested number of log lines", async () => {
  const { client, server } = connect();
  server.setTimeline(`${path}/operations/op-1`, [{ source: "api", reason: "Created" }]);
  expect(await client.operations.timeline("default", "op-1", { logLines: 5 })).toEqual([{ source: "api", reason: "Created" }]);
  expect(server.requests.at(-1)?.query.get("logLines")).toBe("5");
  expect(await client.operations.timeline("default", "op-2")).toEqual([]);
});

test("M052 the log of a task is read from where the reader stopped", async () => {
  const { client, server } = connect();
  const lines = [1, 2, 3].map((seq) => ({ attempt: 1, seq, line: `line ${seq}` }));
  server.setLog(`${path}/tasks/t-1`, lines);
  expect(await client.tasks.logs("default", "t-1")).toEqual(lines);
  expect(await client.tasks.logs("default", "t-1", { after: "1.2", pageSize: 10 })).toEqual(lines.slice(2));
});

test("M016 an administrator creates a join token for an agent and chooses how long it is valid", async () => {
  const { client, server } = connect();
  expect(await client.agents.createJoinToken("system", { ttlSeconds: 60 })).toMatchObject({ joinToken: "cwj_test" });
  expect(server.requests.at(-1)).toMatchObject({ path: "/v1/projects/system/jointokens", body: { ttlSeconds: 60 } });
});

test("M016 a whole project is paused and resumed, and a deletion can be forced", async () => {
  const { client, server } = connect();
  await client.projects.create({ metadata: { name: "shop" } });
  expect((await client.projects.pause("shop")).metadata.paused).toBe(true);
  expect((await client.projects.resume("shop")).metadata.paused).toBe(false);
  await client.projects.delete("shop", { force: true });
  expect(server.requests.at(-1)?.query.get("force")).toBe("true");
});
