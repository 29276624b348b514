import { createUid, systemClock } from "@cloudwright/platform";
import { describeInventory, describeKubernetesObjects } from "@cloudwright/simulator/testing";
import { createPool, listSimulatedClusters, type Pool } from "@cloudwright/store";
import { createTestDatabase, type TestDatabase } from "@cloudwright/store/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createStoredInventory } from "./stored-inventory.ts";
import { createStoredObjects } from "./stored-objects.ts";

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});

async function insertAccount(): Promise<string> {
  const uid = createUid(systemClock.now());
  await pool.query({
    text: `insert into entity (uid, kind, project, naming_scope, name, environment, labels, resource_version, created_at, updated_at, object)
      values ($1::uuid, 'Account', 'default', '', $1::uuid::text, '', '{}', 1, now(), now(), '{}')`,
    values: [uid],
  });
  return uid;
}

async function open(): Promise<{ account: string; store: ReturnType<typeof createStoredObjects> }> {
  await pool.query({ text: "delete from simulated_cluster", values: [] });
  const account = await insertAccount();
  const store = createStoredObjects({ pool }, () => ({ accountUid: account, region: "eu-west-1", name: "dev" }));
  return { account, store };
}

describeKubernetesObjects("database", async () => {
  const { store } = await open();
  return { store, reopen: () => createStoredObjects({ pool }, () => ({ accountUid: "", region: "", name: "" })) };
});

describeInventory("database", async () => {
  const uids = new Map<string, string>();
  const inventory = createStoredInventory({ pool });
  // The contract suite uses tenant names; each tenant becomes an account here.
  const ask = async (tenant: string): Promise<string> => {
    const uid = uids.get(tenant) ?? (await insertAccount());
    uids.set(tenant, uid);
    return uid;
  };
  await ask("t");
  return {
    find: async (tenant, key) => inventory.find(await ask(tenant), key),
    list: async (tenant, type) => inventory.list(await ask(tenant), type),
    create: async (tenant, record) => inventory.create(await ask(tenant), record),
    put: async (tenant, record) => inventory.put(await ask(tenant), record),
    delete: async (tenant, key) => inventory.delete(await ask(tenant), key),
  };
});

test("M130 hundreds of changes are written in one commit, and text is stored unchanged", async () => {
  const { store } = await open();
  await store.createCluster({ id: "one", version: "v1.34.2", createdAtMs: 1000 });
  const data = { odd: "\u0000 \ud83d\ude00 \\ '", z: "1", a: "2" };
  const changes = Array.from({ length: 500 }, (_, index) => {
    const name = `c-${index % 400}`;
    const metadata = { name, namespace: "n", uid: "u", resourceVersion: String(index + 1), creationTimestamp: "" };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
    return { version: index + 1, key: { resource: "configmaps", namespace: "n", name }, object };
  });
  await store.commit("one", 0, changes);
  const { version, objects } = await store.load("one");
  expect([version, objects.length]).toEqual([500, 400]);
  const found = objects.find(({ key }) => key.name === "c-7")?.object;
  expect(JSON.stringify(found)).toBe(JSON.stringify(changes[407]?.object));
});

test("M130 only one of several concurrent commits succeeds, and deleting an account deletes its clusters", async () => {
  const { account, store } = await open();
  await store.createCluster({ id: "one", version: "v1.34.2", createdAtMs: 1000 });
  const change = { version: 1, key: { resource: "pods", namespace: "n", name: "p" }, object: undefined };
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => store.commit("one", 0, [change])));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  await pool.query({ text: "delete from entity where uid = $1", values: [account] });
  expect(await listSimulatedClusters(pool)).toEqual([]);
});
