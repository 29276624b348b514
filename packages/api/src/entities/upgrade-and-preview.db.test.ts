import type { JsonObject } from "@cloudwright/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";

let api: TestApi;
const base = "/v1/projects/default";
const path = `${base}/clusters/dev`;

beforeAll(async () => {
  api = await startTestApi();
  await api.must("POST", `${base}/accounts`, { body: { metadata: { name: "acme" }, spec: { simulated: true, aws: {} } } });
  await api.must("POST", `${base}/networks`, {
    body: { metadata: { name: "net" }, spec: { account: "acme", region: "eu-west-1" } },
  });
  await api.must("POST", `${base}/clusters`, { body: { metadata: { name: "dev" }, spec: { network: "net", version: "1.33" } } });
  const status = JSON.stringify({ phase: "RUNNING", version: "1.33" });
  const text = "update entity set object = jsonb_set(object::jsonb, '{status}', $1::jsonb)::json where kind = 'Cluster'";
  await api.pool.query({ text, values: [status] });
});
afterAll(() => api.close());

const get = async (): Promise<JsonObject> => (await api.must("GET", path)).body as unknown as JsonObject;

test("M161 a version below the running one is rejected by every verb", async () => {
  const asked = [
    await api.call("PATCH", path, { body: { spec: { version: "1.32" } } }),
    await api.call("POST", `${path}:upgrade`, { body: { version: "v1.31.4" } }),
    await api.call("POST", `${path}:preview`, { body: { spec: { version: "1.32" } } }),
  ];
  for (const { status, body } of asked) expect([status, body.code]).toEqual([400, "api.invalid"]);
  expect(await get()).toMatchObject({ spec: { version: "1.33" } });
});

test("M137 a volume cannot shrink below its actual size if that is known", async () => {
  const volume = `${base}/storages/data`;
  const spec = { cluster: "dev", volume: { sizeGib: 20 } };
  await api.must("POST", `${base}/storages`, { body: { metadata: { name: "data" }, spec } });
  const resize = (sizeGib: number) => api.call("PATCH", volume, { body: { spec: { volume: { sizeGib } } } });
  const setPhase = (phase: string) => {
    const text =
      "update entity set object = jsonb_set(object::jsonb, '{status,phase}', to_jsonb($1::text))::json where kind = 'Storage'";
    return api.pool.query({ text, values: [phase] });
  };
  await setPhase("RUNNING");
  const { status, body } = await resize(10);
  expect([status, body.code]).toEqual([400, "api.invalid"]);
  expect((await resize(30)).status).toBe(202);
  await setPhase("DEGRADED");
  expect((await resize(20)).status).toBe(202);
});

test("X034 a preview starts an operation of its own and does not change the cluster", async () => {
  const before = await get();
  const { status, body, headers } = await api.call("POST", `${path}:preview`, { body: { spec: { version: "1.34" } } });
  expect(status).toBe(202);
  expect(headers["operation-location"]).toContain(body.metadata.name);
  expect(body).toMatchObject({ spec: { verb: "preview", candidate: { version: "1.34" } }, status: { state: "WAITING" } });
  const after = await get();
  const { operation } = after["metadata"] as { operation: string };
  expect([after["spec"], operation]).toEqual([before["spec"], (before["metadata"] as { operation: string }).operation]);
  const found = await api.must("GET", `${base}/operations/${body.metadata.name ?? ""}`);
  expect(found.body).toMatchObject({ spec: { candidate: { version: "1.34", network: "net" } } });
  const missing = await api.call("POST", `${base}/clusters/nobody:preview`, { body: { spec: {} } });
  expect(missing.status).toBe(404);
});

test("X034 previewing the creation of a cluster is an operation on its network, and no cluster is stored", async () => {
  const ask = (name: string, body: JsonObject) =>
    api.call("POST", `${base}/clusters/${name}:preview?allowMissing=true`, { body });
  const network = (await api.must("GET", `${base}/networks/net`)).body as unknown as { metadata: JsonObject };
  const { status, body } = await ask("fresh", { spec: { network: "net", workers: 2 } });
  expect(status).toBe(202);
  expect(body).toMatchObject({
    spec: {
      verb: "preview",
      entityKind: "Network",
      entityName: "net",
      candidateName: "fresh",
      candidate: { workers: 2, network: "net" },
    },
  });
  expect((await api.call("GET", `${base}/clusters/fresh`)).status).toBe(404);
  const after = (await api.must("GET", `${base}/networks/net`)).body as unknown as { metadata: JsonObject };
  for (const field of ["generation", "operation"]) expect(after.metadata[field]).toEqual(network.metadata[field]);
  expect((await ask("fresh", { spec: { network: "nobody" } })).status).toBe(400);
  expect((await ask("Not-A-Name", { spec: { network: "net" } })).status).toBe(400);
  const existing = await ask("dev", { spec: { version: "1.34" } });
  expect(existing.body.spec).toMatchObject({ entityKind: "Cluster", entityName: "dev" });
});

test("M161 an upgrade changes the version and starts the operation of an update", async () => {
  const answer = await api.call("POST", `${path}:upgrade`, { body: { version: "1.35", allow: ["removed-apis"] } });
  expect([answer.status, answer.body.spec]).toEqual([202, expect.objectContaining({ version: "1.35" })]);
  const { operation = "" } = answer.body.metadata;
  expect((await api.must("GET", `${base}/operations/${operation}`)).body).toMatchObject({
    spec: { verb: "update", allow: ["removed-apis"] },
  });
  expect((await api.call("POST", `${path}:upgrade`, { body: { version: "2.0" } })).status).toBe(400);
  const other = await api.call("PATCH", `${base}/networks/net?allow=removed-apis`, {
    body: { metadata: { labels: { a: "b" } } },
  });
  expect(other.status).toBe(400);
});
