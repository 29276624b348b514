import { getMethod, type EntityJson } from "@cloudwright/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { callConnect } from "../testing/connect-call.ts";
import { startTestApi, type TestApi } from "../testing/test-api.ts";
import type { TestAnswer } from "../testing/http-call.ts";
import { seedProject } from "../testing/seed-project.ts";
import { clearWakes, enqueueTask, markLeased, readOperation, readTask, readWakes, setOperationState } from "../testing/work.ts";

let api: TestApi;
let project: string;
let base: string;
let made = 0;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  made += 1;
  project = `p-${made}`;
  base = `/v1/projects/${project}`;
  await api.createProject(project);
  await seedProject(api, project, { suffix: "x", user: await api.createPerson(`user-${made}`) });
  await clearWakes(api);
});

async function get(path: string): Promise<EntityJson> {
  return (await api.must("GET", `${base}/${path}`)).body;
}

function outcome({ status, body }: TestAnswer): string {
  return status < 300 ? String(status) : `${status} ${body.code}`;
}

async function remove(path: string, query = "", key = api.adminKey): Promise<string> {
  return outcome(await api.call("DELETE", `${base}/${path}${query}`, { key }));
}

async function setPhase(uid: string, phase: string): Promise<void> {
  const text = "update entity set object = jsonb_set(object::jsonb, '{status,phase}', to_jsonb($2::text))::json where uid = $1";
  await api.pool.query({ text, values: [uid, phase] });
}

const tree = [
  "accounts/account-x",
  "networks/network-x",
  "clusters/cluster-x",
  "clusters/cluster-x/nodepools/nodepool-x",
  "storages/storage-x",
  "instances/instance-x",
];

describe("M024 X010 deletion of an entity that was worked on", () => {
  test("is accepted: it is marked, gets an operation and is left to the reconciler", async () => {
    await enqueueTask(api, await get("storages/storage-x"));
    const answer = await api.call("DELETE", `${base}/storages/storage-x`);
    expect([answer.status, answer.headers.location]).toEqual([202, `${base}/storages/storage-x`]);
    const { spec, metadata } = await readOperation(api, answer);
    const stored = await get("storages/storage-x");
    expect(answer.body).toEqual(stored);
    expect(stored.metadata).toMatchObject({ deletedAt: expect.stringContaining("T"), operation: metadata.name });
    expect(stored.status["phase"]).toBe("DELETING");
    expect(spec).toMatchObject({ verb: "delete", entityUid: stored.metadata.uid, entityGeneration: 1, force: false });
    expect([...(await readWakes(api)).keys()]).toEqual([stored.metadata.uid]);
    const text = "select deleted_at is not null as marked from entity where uid = $1";
    expect((await api.pool.query({ text, values: [stored.metadata.uid] })).rows).toEqual([{ marked: true }]);
  });

  test("X010 stops the entity's own tasks, so that the deletion does not wait for a hanging run", async () => {
    const [mine, other] = [await get("networks/network-x"), await get("accounts/account-x")];
    const [running, next, left] = [await enqueueTask(api, mine), await enqueueTask(api, mine), await enqueueTask(api, other)];
    await markLeased(api, running);
    const signal = api.deps.taskSignal.version();
    expect(await remove("networks/network-x", "?cascade=true")).toBe("202");
    const reason = "the entity is being deleted";
    expect(await readTask(api, running)).toEqual({ state: "leased", cancel_reason: reason });
    expect(await readTask(api, next)).toEqual({ state: "cancelled", cancel_reason: reason });
    expect(await readTask(api, left)).toEqual({ state: "ready", cancel_reason: "" });
    expect(api.deps.taskSignal.version()).toBeGreaterThan(signal);
  });

  test("X010 of a node pool does not stop its cluster's run, which other pools may need", async () => {
    const task = await enqueueTask(api, await get("clusters/cluster-x"));
    expect(await remove("clusters/cluster-x/nodepools/nodepool-x")).toBe("202");
    expect(await readTask(api, task)).toEqual({ state: "ready", cancel_reason: "" });
  });

  test("by cascade marks everything below it, and each entity gets an operation of its own", async () => {
    await enqueueTask(api, await get("networks/network-x"));
    expect(await remove("accounts/account-x")).toBe("409 api.has_children");
    expect(await remove("accounts/account-x", "?cascade=true")).toBe("202");
    const marked = await Promise.all(tree.map(get));
    expect(marked.map(({ status }) => status["phase"])).toEqual(tree.map(() => "DELETING"));
    const operations = marked.map(({ metadata }) => metadata.operation ?? "");
    expect(new Set(operations).size).toBe(tree.length);
    for (const name of operations) expect((await get(`operations/${name}`)).spec["verb"]).toBe("delete");
    expect(new Set((await readWakes(api)).keys())).toEqual(new Set(marked.map(({ metadata }) => metadata.uid)));
  });

  test.each(["RUNNING", "FAILED"])("by cascade includes entities below it whose own deletion is %s", async (state) => {
    await enqueueTask(api, await get("storages/storage-x"));
    const first = await api.call("DELETE", `${base}/storages/storage-x`);
    const { metadata } = await readOperation(api, first);
    await setOperationState(api, metadata.uid ?? "", state);
    expect(await remove("accounts/account-x", "?cascade=true")).toBe("202");
    const storage = await get("storages/storage-x");
    expect(storage.metadata.operation === metadata.name).toBe(state === "RUNNING");
    expect((await get("clusters/cluster-x")).status["phase"]).toBe("DELETING");
  });

  test("of a node pool requests work on its cluster", async () => {
    await enqueueTask(api, await get("clusters/cluster-x"));
    expect(await remove("clusters/cluster-x/nodepools/nodepool-x")).toBe("202");
  });

  test("X010 X030 of a cluster wakes a node pool that is already being deleted, so that the pool stops waiting for the cluster's run", async () => {
    const pool = await get("clusters/cluster-x/nodepools/nodepool-x");
    await enqueueTask(api, await get("clusters/cluster-x"));
    expect(await remove("clusters/cluster-x/nodepools/nodepool-x")).toBe("202");
    await clearWakes(api);
    expect(await remove("clusters/cluster-x", "?cascade=true")).toBe("202");
    expect([...(await readWakes(api)).keys()]).toContain(pool.metadata.uid);
  });

  test("that is requested again is the same deletion", async () => {
    await enqueueTask(api, await get("storages/storage-x"));
    const first = await api.call("DELETE", `${base}/storages/storage-x`);
    await clearWakes(api);
    const again = await api.call("DELETE", `${base}/storages/storage-x`);
    expect(again.status).toBe(202);
    expect(again.headers["operation-location"]).toBe(first.headers["operation-location"]);
    expect(again.body).toEqual(first.body);
    expect(await readWakes(api)).toEqual(new Map());
  });

  test("that failed is retried with a new operation when it is requested again", async () => {
    await enqueueTask(api, await get("storages/storage-x"));
    const first = await api.call("DELETE", `${base}/storages/storage-x`);
    const { metadata } = await readOperation(api, first);
    await setOperationState(api, metadata.uid ?? "", "FAILED");
    await setPhase(first.body.metadata.uid ?? "", "FAILED");
    await clearWakes(api);
    const again = await api.call("DELETE", `${base}/storages/storage-x`);
    expect(again.status).toBe(202);
    expect(again.body.status["phase"]).toBe("DELETING");
    const retried = await readOperation(api, again);
    expect(retried.metadata.name).not.toBe(metadata.name);
    expect(retried.spec).toMatchObject({ verb: "delete", force: false });
    expect((await get("storages/storage-x")).metadata).toMatchObject({ operation: retried.metadata.name });
    expect([...(await readWakes(api)).values()]).toEqual([1]);
  });

  test("prevents new children and changes to the spec; other fields may change", async () => {
    await enqueueTask(api, await get("networks/network-x"));
    await remove("networks/network-x", "?cascade=true");
    const child = await api.call("POST", `${base}/clusters`, {
      body: { metadata: { name: "late" }, spec: { network: "network-x" } },
    });
    expect(outcome(child)).toBe("409 store.parent_gone");
    const change = async (body: object): Promise<string> =>
      outcome(await api.call("PATCH", `${base}/clusters/cluster-x`, { body: body as never }));
    expect(await change({ spec: { workers: 9 } })).toBe("409 api.being_deleted");
    expect(await change({ metadata: { labels: { a: "b" }, deletionPolicy: "retain" } })).toBe("200");
    const { metadata, status } = await get("clusters/cluster-x");
    expect([metadata.deletedAt !== undefined, status["phase"]]).toEqual([true, "DELETING"]);
  });

  test("M137 still allows a bucket's forceDestroy to change, but nothing else in its spec", async () => {
    await enqueueTask(api, await get("storages/storage-x"));
    await remove("storages/storage-x");
    const { operation } = (await get("storages/storage-x")).metadata;
    const change = async (bucket: object): Promise<string> =>
      outcome(await api.call("PATCH", `${base}/storages/storage-x`, { body: { spec: { bucket } } as never }));
    expect(await change({ expireAfterDays: 9 })).toBe("409 api.being_deleted");
    expect(await change({ forceDestroy: true })).toBe("200");
    const { metadata, spec } = await get("storages/storage-x");
    expect(spec["bucket"]).toMatchObject({ forceDestroy: true });
    expect(metadata).toMatchObject({ operation, deletedAt: expect.any(String) as string });
  });

  test("blocks the deletion of its project until it is gone, and the response names the entity", async () => {
    await enqueueTask(api, await get("clusters/cluster-x"));
    const answer = await api.call("DELETE", `${base}?cascade=true`);
    expect(outcome(answer)).toBe("409 api.has_work");
    expect(answer.body.detail).toContain('Cluster "cluster-x"');
    expect(outcome(await api.call("DELETE", `${base}?cascade=true&dryRun=true`))).toBe("409 api.has_work");
    expect((await get("clusters/cluster-x")).metadata.deletedAt).toBeUndefined();
  });

  test("that races with the creation of a child never leaves a child behind", async () => {
    for (let round = 0; round < 12; round += 1) {
      const name = `racing-${round}`;
      const account = { metadata: { name }, spec: { simulated: true, aws: {} } };
      await enqueueTask(api, (await api.must("POST", `${base}/accounts`, { body: account })).body);
      const [child, parent] = await Promise.all([
        api.call("POST", `${base}/networks`, { body: { metadata: { name }, spec: { account: name } } }),
        api.call("DELETE", `${base}/accounts/${name}`),
      ]);
      expect([
        ["202", "409 api.has_children"],
        ["409 store.parent_gone", "202"],
      ]).toContainEqual([outcome(child), outcome(parent)]);
    }
  });
});

describe("M024 deletion of an entity that was never worked on", () => {
  test("happens at once, ends its operations and wakes the entity's parent", async () => {
    const { metadata } = await get("storages/storage-x");
    await api.must("PATCH", `${base}/storages/storage-x`, { body: { spec: { bucket: { expireAfterDays: 3 } } } });
    const second = (await get("storages/storage-x")).metadata.operation;
    await clearWakes(api);
    const answer = await api.call("DELETE", `${base}/storages/storage-x`);
    expect([answer.status, answer.headers["operation-location"]]).toEqual([200, undefined]);
    expect((await api.call("GET", `${base}/storages/storage-x`)).status).toBe(404);
    for (const name of [metadata.operation, second]) {
      const { status } = await get(`operations/${name}`);
      expect(status).toMatchObject({ state: "CANCELLED", endedAt: expect.stringContaining("T") });
    }
    const cluster = await get("clusters/cluster-x");
    expect([...(await readWakes(api)).keys()]).toEqual([cluster.metadata.uid]);
  });

  test("removes a project that contains only finished operations, without a cascade", async () => {
    await api.createProject(`${project}-b`);
    const other = `/v1/projects/${project}-b`;
    const body = { metadata: { name: "a" }, spec: { simulated: true, aws: {} } };
    const opened = await api.must("POST", `${other}/accounts`, { body });
    await api.must("DELETE", `${other}/accounts/a`);
    await api.must("DELETE", other);
    expect((await api.call("GET", String(opened.headers["operation-location"]))).status).toBe(404);
  });
});

describe("X011 a protected entity", () => {
  const protect = (path: string, deletionProtection: boolean): Promise<TestAnswer> =>
    api.must("PATCH", `${base}/${path}`, { body: { metadata: { deletionProtection } } });

  test("cannot be deleted, and neither can its ancestors, until the protection is removed", async () => {
    await protect("clusters/cluster-x", true);
    expect(await remove("clusters/cluster-x", "?cascade=true")).toBe("409 api.protected");
    expect(await remove("clusters/cluster-x", "?cascade=true&force=true")).toBe("409 api.protected");
    const above = await api.call("DELETE", `${base}/accounts/account-x?cascade=true`);
    expect(outcome(above)).toBe("409 api.protected");
    expect(above.body.detail).toContain('Cluster "cluster-x"');
    expect(outcome(await api.call("DELETE", `${base}?cascade=true`))).toBe("409 api.protected");
    expect(await remove("storages/storage-x")).toBe("200");
    await protect("clusters/cluster-x", false);
    expect(await remove("clusters/cluster-x", "?cascade=true")).toBe("200");
  });

  test("cannot be retained if it is a node pool, because its cluster's next run would delete it", async () => {
    const path = `${base}/clusters/cluster-x/nodepools/nodepool-x`;
    const changed = await api.call("PATCH", path, { body: { metadata: { deletionPolicy: "retain" } } });
    expect(outcome(changed)).toBe("400 api.invalid");
    const changedCluster = await api.call("PATCH", `${base}/clusters/cluster-x`, {
      body: { metadata: { deletionPolicy: "retain" } },
    });
    expect(outcome(changedCluster)).toBe("200");
  });

  test("stays protected or retained when a replacement omits the field", async () => {
    const path = `${base}/accounts/guarded`;
    const spec = { simulated: true, aws: {} };
    const metadata = { name: "guarded", deletionProtection: true, deletionPolicy: "retain" };
    const created = await api.must("POST", `${base}/accounts`, { body: { metadata, spec } });
    expect(created.body.metadata).toMatchObject(metadata);
    expect((await api.must("PUT", path, { body: { spec } })).body.metadata).toMatchObject(metadata);
    const open = { deletionProtection: false, deletionPolicy: "delete" };
    expect((await api.must("PUT", path, { body: { metadata: open, spec } })).body.metadata).toMatchObject(open);
    const wrong = await api.call("PATCH", path, { body: { metadata: { deletionPolicy: "burn" } } });
    expect(outcome(wrong)).toBe("400 api.invalid");
  });
});

describe("X010 a forced deletion", () => {
  beforeEach(async () => {
    await enqueueTask(api, await get("clusters/cluster-x"));
  });

  test("is recorded in the operation that follows it", async () => {
    const forced = await api.call("DELETE", `${base}/clusters/cluster-x?cascade=true&force=true`);
    expect((await readOperation(api, forced)).spec).toMatchObject({ verb: "delete", force: true });
  });

  test("requires the admin role", async () => {
    const editor = await api.createPerson(`editor-${made}`, [{ project, role: "editor" }]);
    expect(await remove("clusters/cluster-x", "?cascade=true&force=true", editor.key)).toBe("403 api.denied");
    expect(await remove("clusters/cluster-x", "?cascade=true", editor.key)).toBe("202");
    expect(await remove("clusters/cluster-x", "?force=true", editor.key)).toBe("403 api.denied");
    const admin = await api.createPerson(`admin-${made}`, [{ project, role: "admin" }]);
    expect(await remove("clusters/cluster-x", "?force=true", admin.key)).toBe("202");
  });

  test("of an entity that is already being deleted is passed on to its running operation", async () => {
    const first = await api.call("DELETE", `${base}/clusters/cluster-x?cascade=true`);
    await clearWakes(api);
    const forced = await api.call("DELETE", `${base}/clusters/cluster-x?force=true`);
    expect(forced.headers["operation-location"]).toBe(first.headers["operation-location"]);
    expect((await readOperation(api, forced)).spec["force"]).toBe(true);
    expect(forced.body.metadata.deletedAt).toBe(first.body.metadata.deletedAt);
    expect(await readWakes(api)).toEqual(new Map([[first.body.metadata.uid, 1]]));
    const pool = (await get("clusters/cluster-x/nodepools/nodepool-x")).metadata.operation;
    expect((await get(`operations/${pool}`)).spec["force"]).toBe(false);
    expect(await remove("clusters/cluster-x", "?force=true&cascade=true")).toBe("202");
    expect((await get(`operations/${pool}`)).spec["force"]).toBe(true);
    const { rows } = await api.pool.query({
      text: "select message from event where entity_uid = $1 and reason = 'DeletionRequested' order by uid",
      values: [first.body.metadata.uid],
    });
    expect(rows).toHaveLength(2);
  });

  test("of an entity whose deletion failed starts a new operation", async () => {
    const first = await api.call("DELETE", `${base}/clusters/cluster-x?cascade=true`);
    await setOperationState(api, (await readOperation(api, first)).metadata.uid ?? "", "FAILED");
    const forced = await api.call("DELETE", `${base}/clusters/cluster-x?force=true`);
    expect(forced.status).toBe(202);
    expect(forced.headers["operation-location"]).not.toBe(first.headers["operation-location"]);
    expect((await readOperation(api, forced)).spec).toMatchObject({ verb: "delete", force: true });
    expect((await get("clusters/cluster-x")).metadata.operation).toBe(forced.body.metadata.operation);
  });

  test("is rejected for kinds whose deletion cannot leave resources behind", async () => {
    expect(await remove("environments/environment-x", "?force=true")).toBe("400 api.bad_query");
    expect(outcome(await api.call("DELETE", `/v1/projects/${project}?force=true`))).toBe("400 api.bad_query");
    for (const protocol of ["connect", "grpc"] as const)
      for (const choice of [{ force: true }, { volumes: "retain" }]) {
        const options = { key: api.adminKey, protocol };
        const { reason } = await callConnect(api.url, getMethod("Project", "delete"), { name: project, ...choice }, options);
        expect([protocol, reason]).toEqual([protocol, "api.invalid"]);
      }
  });
});
