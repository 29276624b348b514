import { createLogger, createShutdown, createUid, systemClock, type Shutdown } from "@cloudwright/platform";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import {
  createPool,
  findSimulatedKubernetes,
  listSimulatedClusters,
  readKeyRing,
  type Pool,
  type SimulatedClusterRow,
} from "@cloudwright/store";
import { createTestDatabase, type TestDatabase } from "@cloudwright/store/testing";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSimulatedKubernetes } from "./simulated-kubernetes.ts";
import { createStoredInventory } from "./stored-inventory.ts";

const region = "eu-west-1";
const log = createLogger({ level: "silent", name: "test" });
const folder = mkdtempSync(join(tmpdir(), "clusters-"));
const keyRing = readKeyRing({ file: join(folder, "keys"), keys: undefined });
const tomorrow = new Date(systemClock.now() + 86_400_000);
const listen = { host: "127.0.0.1", port: 0 };
let database: TestDatabase;
let pool: Pool;
let account: string;
const running: Shutdown[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
  account = createUid(systemClock.now());
  await pool.query({
    text: `insert into entity (uid, kind, project, naming_scope, name, environment, labels, resource_version, created_at, updated_at, object)
      values ($1, 'Account', 'default', '', 'sim', '', '{}', 1, now(), now(), '{}')`,
    values: [account],
  });
});
afterAll(async () => {
  for (const shutdown of running) await shutdown.close("the suite is over");
  await pool.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

async function startReplica(): Promise<Awaited<ReturnType<typeof startSimulatedKubernetes>> & { readonly shutdown: Shutdown }> {
  const shutdown = createShutdown({ log });
  running.push(shutdown);
  const served = await startSimulatedKubernetes(
    { pool, connection: database.connection, keyRing, clock: systemClock, log, shutdown, revive: () => undefined },
    { serve: true, listen },
  );
  return { ...served, shutdown };
}

const inventory = () => createStoredInventory({ pool });
const findRow = async (name: string): Promise<SimulatedClusterRow | undefined> =>
  (await listSimulatedClusters(pool)).find((row) => row.name === name);

async function putGroup(desired: number): Promise<void> {
  const attributes = {
    cluster_name: "dev",
    node_group_name: "workers",
    region,
    version: "1.34",
    subnet_ids: ["subnet-a"],
    instance_types: ["m5.large"],
    scaling_config: [{ desired_size: desired }],
  };
  await inventory().put(account, { type: "aws_eks_node_group", id: "dev:workers", attributes });
}

function connect(kubeconfig: string): CoreV1Api {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  return config.makeApiClient(CoreV1Api);
}

async function countNodes(core: CoreV1Api): Promise<number> {
  return (await core.listNode()).items.length;
}

const within = { timeout: 20_000 };

test("M130 M032 clusters in simulated clouds are served, and one replica takes over from another at the same address", async () => {
  const first = await startReplica();
  const subnet = { id: "subnet-a", region, cidr_block: "10.0.0.0/24", availability_zone: "eu-west-1a" };
  await inventory().put(account, { type: "aws_subnet", id: "subnet-a", attributes: subnet });
  await inventory().put(account, { type: "aws_eks_cluster", id: "dev", attributes: { name: "dev", region, version: "1.34" } });
  await putGroup(1);
  first.notify();
  await expect.poll(async () => (await findRow("dev"))?.version, within).toBe("v1.34.2");
  const row = (await findRow("dev")) as SimulatedClusterRow;
  const kubeconfig = (await first.open(row)).kubeconfigFor("admin", tomorrow).reveal();
  const core = connect(kubeconfig);
  await expect.poll(() => countNodes(core).catch(() => 0), within).toBe(1);

  const second = await startReplica();
  expect((await second.open(row)).kubeconfigFor("admin", tomorrow).reveal()).toBe(kubeconfig);
  const address = (await findSimulatedKubernetes(pool))?.address;
  await core.createNamespacedConfigMap({ namespace: "default", body: { metadata: { name: "kept" }, data: { a: "b" } } });
  await first.shutdown.close("gone");
  const read = (): Promise<unknown> => core.readNamespacedConfigMap({ namespace: "default", name: "kept" });
  await expect.poll(() => read().catch(() => undefined), within).toMatchObject({ data: { a: "b" } });
  expect((await findSimulatedKubernetes(pool))?.address).toBe(address);

  // A notification announces the new node count. No notification announces the deletion, so only the periodic sweep can find it.
  await putGroup(3);
  first.notify();
  await expect.poll(() => countNodes(core), within).toBe(3);
  await inventory().delete(account, { type: "aws_eks_cluster", id: "dev" });
  await expect.poll(() => findRow("dev"), within).toBeUndefined();
  await expect(core.listNode()).rejects.toMatchObject({ code: 404 });
});

test("M097 the secret behind keys and tokens is stored encrypted", async () => {
  const { sealed } = (await findSimulatedKubernetes(pool)) ?? {};
  expect(sealed?.length).toBeGreaterThan(60);
  const replica = await startReplica();
  const access = await replica.open({ id: "x", version: "v1.34.2", createdAtMs: 1000 });
  const soon = new Date(systemClock.now() + 900_000);
  expect(access.kubeconfigFor("admin", tomorrow).reveal()).not.toContain(access.tokenFor("admin", soon).reveal());
  expect(String(access.tokenFor("admin", soon))).toBe("[secret]");
  expect(access.tokenFor("viewer", soon).reveal()).not.toBe(access.tokenFor("admin", soon).reveal());
});
