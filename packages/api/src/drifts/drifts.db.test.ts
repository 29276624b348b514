import { fromJson } from "@bufbuild/protobuf";
import type { EntityJson, Json, JsonObject } from "@cloudwright/contract";
import { DriftSchema, ListDriftsResponseSchema } from "@cloudwright/contract/gen/cloudwright/v1/drift_pb.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";
import type { TestAnswer } from "../testing/http-call.ts";
import { markBuilt, seedDrift } from "../testing/seed-run.ts";
import { createTestJudge } from "../testing/test-judge.ts";
import { clearWakes, enqueueTask, readOperation, readWakes } from "../testing/work.ts";

const base = "/v1/projects/default";
const judge = createTestJudge();
let api: TestApi;
let editor: Person;
let entityUid: string;
let made = 0;

beforeAll(async () => {
  api = await startTestApi({ judge });
  editor = await api.createPerson("eddy", [{ project: "default", role: "editor" }]);
  for (const name of ["prod", "staging"]) await api.must("POST", `${base}/environments`, { body: { metadata: { name } } });
  await api.must("POST", `${base}/accounts`, { body: { metadata: { name: "main" }, spec: { simulated: true, aws: {} } } });
});
beforeEach(async () => {
  judge.say({});
  entityUid = await createNetwork();
});
afterAll(() => api.close());

async function createNetwork(environment = "", infra: JsonObject | null = {}): Promise<string> {
  made += 1;
  const body = {
    metadata: { name: `net-${made}`, environment },
    spec: { account: "main", region: "eu-west-1", ...(infra === null ? {} : { infra }) },
  };
  return (await api.must("POST", `${base}/networks`, { body })).body.metadata.uid ?? "";
}

const seen = ({ status, body }: TestAnswer): [number, string] => [status, body.code ?? ""];
const act = (verb: string, uid: string, key = editor.key): Promise<TestAnswer> =>
  api.call("POST", `${base}/drifts/${uid}:${verb}`, { key, body: {} });
const readNetwork = async (): Promise<EntityJson> => (await api.must("GET", `${base}/networks/${entityUid}`)).body;
const ignoreOf = ({ spec }: EntityJson): unknown => (spec["infra"] as JsonObject)["ignore"];

async function get(name: string): Promise<unknown> {
  const { body } = await api.must("GET", `${base}/drifts/${name}`);
  fromJson(DriftSchema, body as unknown as Json);
  return body;
}

describe("M042 a drift report", () => {
  test("is found by its uid and, if it is the newest, by its entity's uid", async () => {
    const first = await seedDrift(api, entityUid);
    const second = await seedDrift(api, entityUid);
    expect(await get(first)).toMatchObject({ uid: first, state: "GONE", endedAt: expect.any(String) });
    expect(await get(entityUid)).toMatchObject({
      uid: second,
      state: "OPEN",
      entityKind: "Network",
      entityName: `net-${made}`,
      items: [{ address: "aws_vpc.main", action: "update", paths: ["tags", "enable_dns_support"] }],
      ignored: 2,
    });
  });

  test("is listed while it is open, or with all reports on request, newest first and page by page", async () => {
    const [ended, open] = [await seedDrift(api, entityUid), await seedDrift(api, entityUid)];
    // Both reports may be created in the same millisecond, so only their uids define the order.
    const uids = [ended, open].toSorted().toReversed();
    const list = async (query: string): Promise<{ found: string[]; next: string }> => {
      const { body } = await api.must("GET", `${base}/drifts?entity=${entityUid}${query}`);
      fromJson(ListDriftsResponseSchema, body as unknown as Json);
      return { found: (body.items as unknown as { uid: string }[]).map(({ uid }) => uid), next: body.nextPageToken };
    };
    expect((await list("")).found).toEqual([open]);
    expect((await list("&all=true")).found).toEqual(uids);
    const page = await list("&all=true&pageSize=1");
    expect((await list(`&all=true&pageSize=1&pageToken=${page.next}`)).found).toEqual(uids.slice(1));
  });

  test("is visible to callers with access to its entity's environment", async () => {
    entityUid = await createNetwork("prod");
    const uid = await seedDrift(api, entityUid);
    const staging = await api.createPerson("stage", [{ project: "default", role: "owner", environment: "staging" }]);
    for (const verb of ["accept", "correct"]) expect(seen(await act(verb, uid, staging.key))).toEqual([404, "api.not_found"]);
    expect((await api.must("GET", `${base}/drifts?all=true`, { key: staging.key })).body.items).toEqual([]);
    const prod = await api.createPerson("prod", [
      { project: "default", role: "viewer", environment: "prod" },
      { project: "default", role: "editor", environment: "staging" },
    ]);
    expect((await api.call("GET", `${base}/drifts/${uid}`, { key: prod.key })).status).toBe(200);
    expect(seen(await act("correct", uid, prod.key))).toEqual([403, "api.denied"]);
  });
});

describe("X033 accepted drift", () => {
  test("becomes ignore rules of the entity, in one change with its operation", async () => {
    const uid = await seedDrift(api, entityUid);
    await clearWakes(api);
    const answer = await act("accept", uid);
    expect(answer).toMatchObject({ status: 202, body: { uid, state: "ACCEPTED" } });
    expect(answer.headers["location"]).toBe(`${base}/drifts/${uid}`);
    const network = await readNetwork();
    expect(ignoreOf(network)).toEqual(
      ["tags", "enable_dns_support"].map((path) => ({ address: "aws_vpc.main", path, owner: "accepted by eddy" })),
    );
    expect(network.metadata).toMatchObject({ generation: 2 });
    const operation = await readOperation(api, answer);
    expect(operation).toMatchObject({
      metadata: { name: network.metadata.operation },
      spec: { verb: "update", entityGeneration: 2, actor: "eddy" },
    });
    expect((await readWakes(api)).get(entityUid)).toBe(1);
    const { body } = await api.must("GET", `${base}/operations/${operation.metadata.name ?? ""}/timeline`);
    expect(body.items).toMatchObject([{ reason: "DriftAccepted", actor: "eddy" }]);
    for (const verb of ["accept", "correct"]) expect(seen(await act(verb, uid))).toEqual([409, "api.drift_ended"]);
  });

  test("adds to existing rules, without duplicates", async () => {
    const own = { address: "aws_vpc.main", path: "tags", owner: "tagger" };
    entityUid = await createNetwork("", { ignore: [own], approval: "always" });
    await act("accept", await seedDrift(api, entityUid));
    const { spec } = await readNetwork();
    expect(spec["infra"]).toMatchObject({
      approval: "always",
      ignore: [own, { address: "aws_vpc.main", path: "enable_dns_support", owner: "accepted by eddy" }],
    });
  });

  test("does not require an admin if the entity has no infra section", async () => {
    entityUid = await createNetwork("", null);
    expect((await act("accept", await seedDrift(api, entityUid))).status).toBe(202);
    expect(ignoreOf(await readNetwork())).toHaveLength(2);
  });

  test.each([
    ["a resource was deleted", [{ address: "aws_vpc.main", resourceType: "aws_vpc", action: "delete", paths: [] }]],
    ["no attribute is named", [{ address: "aws_vpc.main", resourceType: "aws_vpc", action: "update", paths: [] }]],
  ])("is rejected if %s", async (_what, items) => {
    const uid = await seedDrift(api, entityUid, items);
    const before = await api.countStored();
    expect(seen(await act("accept", uid))).toEqual([409, "api.drift_not_acceptable"]);
    expect(await api.countStored()).toEqual(before);
    expect((await act("correct", uid)).status).toBe(202);
  });

  test("is rejected if there would be too many rules, or if a policy denies it", async () => {
    const paths = Array.from({ length: 201 }, (_, index) => `tags["${index}"]`);
    const many = await seedDrift(api, entityUid, [{ address: "aws_vpc.main", resourceType: "aws_vpc", action: "update", paths }]);
    expect(seen(await act("accept", many))).toEqual([400, "api.invalid"]);
    judge.say({ entity: [{}] });
    const uid = await seedDrift(api, entityUid);
    expect(seen(await act("accept", uid))).toEqual([422, "api.denied_by_policy"]);
    expect(await get(uid)).toMatchObject({ state: "OPEN" });
  });

  test("by two callers at once is accepted once", async () => {
    const uid = await seedDrift(api, entityUid);
    const answers = await Promise.all([1, 2, 3].map(() => act("accept", uid)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409, 409]);
    expect((await readNetwork()).metadata.generation).toBe(2);
  });
});

describe("M042 drift to be corrected", () => {
  test("starts an operation that does not change the spec; the report stays open until the operation ends", async () => {
    const uid = await seedDrift(api, entityUid);
    const before = await readNetwork();
    await clearWakes(api);
    const answer = await act("correct", uid);
    expect(answer).toMatchObject({ status: 202, body: { uid, state: "OPEN" } });
    expect(await readOperation(api, answer)).toMatchObject({
      spec: { verb: "correct", entityUid, entityGeneration: 1, actor: "eddy", allow: [] },
    });
    const after = await readNetwork();
    expect([after.spec, after.metadata.generation]).toEqual([before.spec, 1]);
    expect(after.metadata.operation).not.toBe(before.metadata.operation);
    expect((await readWakes(api)).get(entityUid)).toBe(1);
  });

  test("is rejected while the entity is being deleted", async () => {
    const uid = await seedDrift(api, entityUid);
    await enqueueTask(api, await readNetwork());
    await api.must("DELETE", `${base}/networks/${entityUid}`);
    for (const verb of ["accept", "correct"]) expect(seen(await act(verb, uid))).toEqual([409, "api.being_deleted"]);
  });
});

describe("X080 a drift check on demand", () => {
  test("is a separate operation from the entity's own, and a repeated request returns the same operation", async () => {
    await markBuilt(api, entityUid);
    await clearWakes(api);
    const before = await readNetwork();
    const answer = await act("check", entityUid);
    expect(answer).toMatchObject({ status: 202, body: { spec: { verb: "check", entityUid, actor: "eddy" } } });
    expect((await readWakes(api)).get(entityUid)).toBe(1);
    const after = await readNetwork();
    expect([after.spec, after.metadata.generation, after.metadata.operation]).toEqual([
      before.spec,
      before.metadata.generation,
      before.metadata.operation,
    ]);
    const again = await act("check", entityUid, api.adminKey);
    expect([again.status, again.body.metadata.name]).toEqual([202, answer.body.metadata.name]);
    expect(again.headers["operation-location"]).toBe(answer.headers["operation-location"]);
  });

  test("of a report checks the report's entity", async () => {
    await markBuilt(api, entityUid);
    const report = await seedDrift(api, entityUid);
    expect(await act("check", report)).toMatchObject({ status: 202, body: { spec: { entityUid } } });
  });

  test("is rejected for an entity that was never built, is being deleted, cannot be seen or does not exist", async () => {
    expect(seen(await act("check", entityUid))).toEqual([409, "api.drift_nothing_built"]);
    const account = (await api.must("GET", `${base}/accounts/main`)).body.metadata.uid ?? "";
    for (const name of [account, "net-1", "00000000-0000-7000-8000-000000000000"])
      expect(seen(await act("check", name))).toEqual([404, "api.not_found"]);
    entityUid = await createNetwork("prod");
    await markBuilt(api, entityUid);
    const staging = await api.createPerson("check-stage", [{ project: "default", role: "owner", environment: "staging" }]);
    expect(seen(await act("check", entityUid, staging.key))).toEqual([404, "api.not_found"]);
    await api.createProject("elsewhere");
    const path = `/v1/projects/elsewhere/drifts/${entityUid}:check`;
    expect(seen(await api.call("POST", path, { body: {} }))).toEqual([404, "api.not_found"]);
    await enqueueTask(api, await readNetwork());
    await api.must("DELETE", `${base}/networks/${entityUid}`);
    expect(seen(await act("check", entityUid))).toEqual([409, "api.being_deleted"]);
  });

  test("by many callers at once opens one operation", async () => {
    await markBuilt(api, entityUid);
    const answers = await Promise.all(Array.from({ length: 6 }, () => act("check", entityUid)));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(6).fill(202));
    expect(new Set(answers.map(({ body }) => body.metadata.name)).size).toBe(1);
  });
});
