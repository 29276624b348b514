import type { JsonObject } from "@cloudwright/contract";
import { NetworkService } from "@cloudwright/contract/gen/cloudwright/v1/network_pb.ts";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import type { TestAnswer } from "../testing/http-call.ts";
import { createTestJudge } from "../testing/test-judge.ts";

const base = "/v1/projects/default";
const judge = createTestJudge();
let api: TestApi;

beforeAll(async () => {
  api = await startTestApi({ judge });
  await api.must("POST", `${base}/accounts`, { body: { metadata: { name: "acme" }, spec: { simulated: true, aws: {} } } });
  await api.must("POST", `${base}/networks`, {
    body: { metadata: { name: "net" }, spec: { account: "acme", region: "eu-west-1" } },
  });
  await api.must("POST", `${base}/clusters`, { body: { metadata: { name: "dev" }, spec: { network: "net" } } });
});
beforeEach(() => judge.say({}));
afterAll(() => api.close());

const network = { spec: { account: "acme", region: "eu-west-1", zones: ["a"] } };
const ask = (path: string, body: JsonObject, key = api.adminKey): Promise<TestAnswer> =>
  api.call("POST", `${base}/${path}:preflight`, { body, key });

test("X013 a preflight is an operation on the future parent; apart from its audit record, nothing else is stored", async () => {
  const cases = [
    ["networks/fresh", network, "Network", "Account", "acme"],
    ["clusters/fresh", { spec: { network: "net", workers: 2 } }, "Cluster", "Network", "net"],
    ["storages/fresh", { spec: { cluster: "dev", bucket: {} } }, "Storage", "Cluster", "dev"],
    ["clusters/dev/nodepools/fresh", { spec: { min: 1, desired: 1, max: 2 } }, "NodePool", "Cluster", "dev"],
  ] as const;
  for (const [path, body, candidateKind, entityKind, entityName] of cases) {
    const before = await api.countStored();
    const { status, body: operation, headers } = await ask(path, body);
    expect(status).toBe(202);
    expect(headers["operation-location"]).toContain(operation.metadata.name);
    expect(operation).toMatchObject({
      spec: { verb: "preflight", entityKind, entityName, candidateKind, candidateName: "fresh", candidate: body.spec },
      status: { state: "WAITING", findings: [] },
    });
    const after = await api.countStored();
    expect(after["event"]).toBe(before["event"]);
    expect((await api.call("GET", `${base}/${path}`)).status).toBe(404);
    const found = await api.must("GET", `${base}/operations/${operation.metadata.name ?? ""}`);
    expect(found.body).toMatchObject({ status: { findings: [] } });
  }
  const { body } = await api.must("GET", `${base}/accounts/acme`);
  expect(body.metadata).toMatchObject({ generation: 1 });
});

test("X013 a range that the cloud reserves is a finding, because a create request with it is rejected", async () => {
  const body = { spec: { ...network.spec, cidr: "169.254.0.0/16" } };
  const { status, body: operation } = await ask("networks/fresh", body);
  expect(status).toBe(202);
  const finding = { field: "spec.cidr", severity: "must", message: expect.stringContaining("169.254.0.0/16") as string };
  expect(operation).toMatchObject({ status: { findings: [finding] } });
  const created = await api.call("POST", `${base}/networks`, { body: { metadata: { name: "fresh" }, ...body } });
  expect(created).toMatchObject({ status: 400, body: { fields: [{ field: "spec.cidr" }] } });
});

test("X013 X035 policy findings and a name conflict are reported as findings; a malformed entity is rejected with all its fields", async () => {
  judge.say({
    entity: [
      { rule: "one", severity: "must", path: "spec.cidr", message: "too wide", fix: "a smaller one" },
      { rule: "two", severity: "should", path: "spec.nat", message: "expensive" },
    ],
  });
  const { body } = await ask("networks/net", network);
  expect(body.status).toMatchObject({
    findings: [
      { field: "metadata.name", severity: "must" },
      { field: "spec.cidr", message: "too wide", help: "a smaller one", severity: "must", rule: "one" },
      { field: "spec.nat", severity: "should", rule: "two" },
    ],
  });
  const refused = await ask("networks/fresh", { spec: { account: "acme", region: "", cidr: "10.0.0.0/99", nat: "some" } });
  expect([refused.status, refused.body.code]).toEqual([400, "api.invalid"]);
  const { fields } = refused.body as unknown as { fields: { field: string }[] };
  expect(fields.map(({ field }) => field)).toEqual(expect.arrayContaining(["spec.cidr", "spec.nat"]));
  const others: [string, JsonObject, number][] = [
    ["networks/fresh", { metadata: { name: "other" }, ...network }, 400],
    ["networks/Not-A-Name", network, 400],
    ["networks/fresh", { spec: { account: "nobody", region: "eu-west-1" } }, 400],
    ["clusters/nobody/nodepools/fresh", { spec: {} }, 404],
    ["accounts/fresh", { spec: { aws: {} } }, 404],
  ];
  for (const [path, sent, status] of others) expect((await ask(path, sent)).status).toBe(status);
});

test("X013 callers who may create an entity may run its preflight, in the same environments; others are denied", async () => {
  await api.must("POST", `${base}/environments`, { body: { metadata: { name: "prod" } } });
  const viewer = await api.createPerson("vera", [{ project: "default", role: "viewer" }]);
  const editor = await api.createPerson("eddy", [{ project: "default", role: "editor", environment: "prod" }]);
  expect((await ask("networks/fresh", network, viewer.key)).status).toBe(403);
  expect((await ask("networks/fresh", network, editor.key)).status).toBe(400);
  const account = { metadata: { name: "paid", environment: "prod" }, spec: { simulated: true, aws: {} } };
  await api.must("POST", `${base}/accounts`, { body: account });
  const own = await ask("networks/fresh", { spec: { account: "paid", region: "eu-west-1" } }, editor.key);
  expect(own.status).toBe(202);
  const path = `${base}/operations/${own.body.metadata.name ?? ""}`;
  expect((await api.call("GET", path, { key: editor.key })).status).toBe(200);
});

test("X013 a preflight can be requested over gRPC", async () => {
  const transport = createGrpcTransport({ baseUrl: api.url });
  const headers = { authorization: `Bearer ${api.adminKey}` };
  const entity = { metadata: { name: "fresh" }, spec: { account: "acme", region: "eu-west-1" } };
  const client = createClient(NetworkService, transport);
  const operation = await client.preflightNetwork({ project: "default", name: "fresh", entity }, { headers });
  expect(operation.spec).toMatchObject({ verb: "preflight", candidateName: "fresh" });
});
