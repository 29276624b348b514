import { getMethod, kinds, type EntityJson, type JsonObject, type Kind } from "@cloudwright/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApi, type Person, type TestApi } from "../testing/test-api.ts";
import { callConnect } from "../testing/connect-call.ts";
import { collectionPath, renderEntity, seedProject, type Seeds } from "../testing/seed-project.ts";
import { clearWakes, readOperation, readWakes } from "../testing/work.ts";

const project = "worked";
const base = `/v1/projects/${project}`;
const all: readonly Kind[] = kinds;
const provisioned = all.filter((kind) => kind.provisioned);

let api: TestApi;
let ada: Person;
let seeds: Seeds;

beforeAll(async () => {
  api = await startTestApi();
  await api.createProject(project);
  ada = await api.createPerson("ada", [{ project, role: "admin" }]);
  seeds = await seedProject(api, project, { suffix: "seed", user: ada });
});
beforeEach(() => clearWakes(api));
afterAll(() => api.close());

/** One spec change for each kind. */
const specChanges: Readonly<Record<string, JsonObject>> = {
  Account: { simulated: true, aws: { accountId: "123456789012" } },
  Network: { zones: ["b", "c"] },
  Cluster: { workers: 5 },
  Instance: { running: false },
  NodePool: { min: 1, desired: 2, max: 9 },
  Storage: { bucket: { versioning: false, expireAfterDays: 7 } },
  SecurityGroup: { description: "web servers" },
  Volume: { sizeGib: 40 },
  Inventory: { user: "deploy" },
  VolumeSnapshot: { infra: { approval: "always" } },
};

function uidOf({ metadata }: EntityJson): string {
  return metadata.uid ?? "";
}

async function countOperations(): Promise<number> {
  const text = "select count(*)::int as count from entity where kind = 'Operation'";
  return (await api.pool.query<{ count: number }>({ text, values: [] })).rows[0]?.count ?? 0;
}

describe("M010 M048 a change that affects the cloud is accepted with its own operation:", () => {
  test.each(provisioned)("$kind", async ({ kind }) => {
    const path = collectionPath(kind, project, seeds);
    const heard = api.deps.wakes.version();
    const created = await api.call("POST", path, { key: ada.key, body: renderEntity(kind, "made", seeds) });
    expect([created.status, created.headers.location]).toEqual([202, `${path}/made`]);
    const { metadata } = created.body;
    expect(created.headers["operation-location"]).toBe(`${base}/operations/${metadata.operation}`);
    const operation = await readOperation(api, created);
    expect(operation.metadata.name).toBe(`op-${uidOf(operation).slice(-12)}`);
    expect(operation.spec).toEqual({
      verb: "create",
      entityKind: kind,
      entityUid: metadata.uid,
      entityName: "made",
      entityGeneration: 1,
      actor: "ada",
      force: false,
      retries: 0,
      cancelReason: "",
      allow: [],
    });
    expect(operation.status).toMatchObject({ state: "WAITING", progressPercent: 0, steps: [], left: [], abandoned: [] });
    expect(await readWakes(api)).toEqual(new Map([[metadata.uid, 1]]));
    expect(api.deps.wakes.version()).toBeGreaterThan(heard);

    const changed = await api.call("PATCH", `${path}/made`, { key: ada.key, body: { spec: specChanges[kind] ?? {} } });
    expect([changed.status, changed.headers.location]).toEqual([202, `${path}/made`]);
    const second = await readOperation(api, changed);
    expect(second.spec).toMatchObject({ verb: "update", entityUid: metadata.uid, entityGeneration: 2 });
    expect(second.metadata.name).not.toBe(operation.metadata.name);
    expect(changed.body.metadata.operation).toBe(second.metadata.name);
    expect(await readWakes(api)).toEqual(new Map([[metadata.uid, 2]]));
  });

  test("the operation belongs to the project and the entity's environment, but is not counted as content of either", async () => {
    await api.must("POST", `${base}/environments`, { body: { metadata: { name: "short-lived" } } });
    const body = { metadata: { name: "placed", environment: "short-lived" }, spec: { simulated: true, aws: {} } };
    const operation = await readOperation(api, await api.must("POST", `${base}/accounts`, { body }));
    expect(operation.metadata.environment).toBe("short-lived");
    await api.must("DELETE", `${base}/accounts/placed`);
    await api.must("DELETE", `${base}/environments/short-lived`);
    const { uid } = (await api.must("GET", `/v1/projects/${project}`)).body.metadata;
    const text = "select parent_uid from entity where uid = $1";
    expect((await api.pool.query({ text, values: [uidOf(operation)] })).rows).toEqual([{ parent_uid: uid }]);
  });

  test("PUT with allowMissing and Connect do the same; Connect returns the entity", async () => {
    const account = { spec: { simulated: true, aws: {} } };
    const put = await api.call("PUT", `${base}/accounts/put?allowMissing=true`, { body: account });
    expect([put.status, put.headers.location]).toEqual([202, `${base}/accounts/put`]);
    expect((await readOperation(api, put)).spec).toMatchObject({ verb: "create", entityName: "put" });
    const entity = { metadata: { name: "connected" }, ...account };
    const { code } = await callConnect(api.url, getMethod("Account", "create"), { project, entity }, { key: ada.key });
    expect(code).toBe("ok");
    const { operation } = (await api.must("GET", `${base}/accounts/connected`)).body.metadata;
    expect((await api.must("GET", `${base}/operations/${operation}`)).body.spec).toMatchObject({ entityName: "connected" });
  });

  test("repeating the request with the same idempotency key returns the same operation", async () => {
    const request = { body: renderEntity("Account", "once", seeds), headers: { "idempotency-key": "once" } };
    const [first, again] = [
      await api.call("POST", `${base}/accounts`, request),
      await api.call("POST", `${base}/accounts`, request),
    ];
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.headers["operation-location"]).toBe(first.headers["operation-location"]);
    expect(await readWakes(api)).toEqual(new Map([[uidOf(first.body), 1]]));
  });

  test("a watch of operations reports the new operation", async () => {
    const stream = await api.watch(`${base}/operations?watch=true`);
    await stream.until(({ type }) => type === "SYNCED");
    const { metadata } = (await api.must("POST", `${base}/accounts`, { body: renderEntity("Account", "watched", seeds) })).body;
    const seen = await stream.until(({ data }) => data.object.metadata.name === metadata.operation);
    expect(seen.at(-1)).toMatchObject({ type: "ADDED" });
    stream.close();
  });
});

describe("X082 M010 changing a label that becomes a cloud tag starts an operation:", () => {
  const tagged = all.filter(({ labelsAreTags }) => labelsAreTags === true);

  test.each(tagged)("$kind", async ({ kind }) => {
    const path = `${collectionPath(kind, project, seeds)}/labelled`;
    await api.must("POST", collectionPath(kind, project, seeds), { body: renderEntity(kind, "labelled", seeds) });
    let { generation = 0, operation } = (await api.must("GET", path)).body.metadata;
    // Labels are added, changed and removed.
    for (const labels of [{ tier: "dev", team: "a" }, { tier: "prod" }, { team: null }, { tier: null }]) {
      const answer = await api.call("PATCH", path, { key: ada.key, body: { metadata: { labels } } });
      expect(answer.status).toBe(202);
      const opened = await readOperation(api, answer);
      expect(opened.spec).toMatchObject({ verb: "update", entityGeneration: (generation += 1) });
      expect(opened.metadata.name).not.toBe(operation);
      ({ operation } = answer.body.metadata);
    }
    expect((await api.call("PATCH", path, { body: { metadata: { labels: {} } } })).status).toBe(200);
    // During a deletion, labels can change, but no run starts.
    const { uid } = (await api.must("GET", path)).body.metadata;
    await api.pool.query({ text: "update entity set deleted_at = now() where uid = $1", values: [uid] });
    const late = await api.call("PATCH", path, { key: ada.key, body: { metadata: { labels: { late: "1" } } } });
    expect([late.status, late.body.metadata.labels, late.body.metadata.generation]).toEqual([200, { late: "1" }, generation]);
  });

  test("more labels than the cloud allows, or labels that differ only in case, are rejected at once", async () => {
    const path = `${base}/networks/network-seed`;
    const labels = Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`l${index}`, "x"]));
    for (const wrong of [labels, { Team: "a", team: "b" }]) {
      const answer = await api.call("PATCH", `${path}?dryRun=true`, { body: { metadata: { labels: wrong } } });
      expect([answer.status, answer.body.code, answer.body.fields]).toMatchObject([
        400,
        "api.invalid",
        [{ field: "metadata.labels" }],
      ]);
    }
  });
});

describe("M010 no operation is started by", () => {
  test.each([
    { what: "an annotation", metadata: { annotations: { a: "b" } }, wakes: 0 },
    { what: "a protection", metadata: { deletionProtection: true }, wakes: 0 },
    { what: "a deletion policy, which only wakes the reconciler", metadata: { deletionPolicy: "retain" }, wakes: 1 },
    { what: "an environment, which only wakes the reconciler", metadata: { environment: "environment-seed" }, wakes: 1 },
    { what: "nothing new", metadata: {}, wakes: 0 },
  ])("$what", async ({ metadata, wakes }) => {
    const before = await countOperations();
    const path = `${base}/clusters/cluster-seed`;
    const answer = await api.call("PATCH", path, { key: ada.key, body: { metadata } });
    expect([answer.status, answer.headers["operation-location"]]).toEqual([200, undefined]);
    expect(answer.body.metadata).toMatchObject(metadata);
    expect(await countOperations()).toBe(before);
    expect([...(await readWakes(api)).values()]).toEqual(wakes === 0 ? [] : [wakes]);
  });

  test("a dry run, or a kind without work", async () => {
    const before = await countOperations();
    expect((await api.call("POST", `${base}/accounts?dryRun=true`, { body: renderEntity("Account", "dry", seeds) })).status).toBe(
      200,
    );
    const patch = { body: { spec: { workers: 9 } } };
    expect((await api.call("PATCH", `${base}/clusters/cluster-seed?dryRun=true`, patch)).status).toBe(200);
    const agent = await api.call("POST", `${base}/agents`, { body: renderEntity("Agent", "plain", seeds) });
    expect([agent.status, agent.body.metadata.operation]).toEqual([201, ""]);
    expect([await countOperations(), await readWakes(api)]).toEqual([before, new Map()]);
  });
});

describe("M040 the wake is part of the change:", () => {
  test("a change that the database rejects leaves neither operation nor wake", async () => {
    const { uid } = (await api.must("POST", `${base}/accounts`, { body: renderEntity("Account", "going", seeds) })).body.metadata;
    await clearWakes(api);
    await api.pool.query({ text: "update entity set deleted_at = now() where uid = $1", values: [uid] });
    const before = await countOperations();
    const body = { metadata: { name: "orphan" }, spec: { account: "going" } };
    const refused = await api.call("POST", `${base}/networks`, { body });
    expect([refused.status, refused.body.code]).toEqual([409, "store.parent_gone"]);
    const taken = await api.call("POST", `${base}/accounts`, { body: renderEntity("Account", "going", seeds) });
    expect([taken.status, taken.body.code]).toEqual([409, "store.exists"]);
    expect([await countOperations(), await readWakes(api)]).toEqual([before, new Map()]);
  });

  test("each of many concurrent changes gets its own operation and wakes the reconciler", async () => {
    const path = `${base}/clusters/cluster-seed`;
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => api.call("PATCH", path, { body: { spec: { workers: 20 + index } } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
    expect(new Set(answers.map(({ headers }) => headers["operation-location"])).size).toBe(6);
    const { metadata } = (await api.must("GET", path)).body;
    expect(await readWakes(api)).toEqual(new Map([[metadata.uid, 6]]));
    const followed = await Promise.all(answers.map((answer) => readOperation(api, answer)));
    const newest = followed.find(({ spec }) => spec["entityGeneration"] === metadata.generation);
    expect(newest?.metadata.name).toBe(metadata.operation);
  });
});
