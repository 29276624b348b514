import { createUid, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createPool, type Pool } from "../pool.ts";
import {
  expectSimulatedCluster,
  findSimulatedCluster,
  findSimulatedClusterAt,
  fingerprintSimulatedClusters,
  insertSimulatedCluster,
  renderSimulatedClusterId,
  updateSimulatedCluster,
  type SimulatedClusterRow,
} from "./simulated-clusters.ts";
import { commitSimulatedObjects, loadSimulatedObjects } from "./simulated-objects.ts";
import { createTestDatabase, type TestDatabase } from "../testing/index.ts";

test("M032 a change that commits after a later one is still seen", async () => {
  const database = await createTestDatabase();
  const pool = createPool(database.connection);
  onTestFinished(async () => {
    await pool.close();
    await database.drop();
  });
  const account = createUid(systemClock.now());
  await pool.query({
    text: `insert into entity (uid, kind, project, naming_scope, name, environment, labels, resource_version, created_at, updated_at, object)
      values ($1, 'Account', 'default', '', 'sim', '', '{}', 1, now(), now(), '{}')`,
    values: [account],
  });
  const put = (id: string, at: string): Promise<unknown> =>
    pool.query({
      text: `insert into simulated_record (account_uid, type, id, attributes, changed_at) values ($1, 'aws_eks_cluster', $2, '{}', $3)
        on conflict (account_uid, type, id) do update set changed_at = excluded.changed_at`,
      values: [account, id, at],
    });
  const look = async (): Promise<string | undefined> =>
    (await fingerprintSimulatedClusters(pool, ["aws_eks_cluster", "aws_eks_node_group"])).get(account);
  await put("a", "2026-01-01T00:00:00.000001Z");
  await put("b", "2026-01-01T00:00:02Z");
  const before = await look();
  expect(await look()).toBe(before);
  await put("a", "2026-01-01T00:00:01.000001Z");
  expect(await look()).not.toBe(before);
});

describe("requested clusters", () => {
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
  const insertAccount = async (): Promise<string> => {
    const uid = createUid(systemClock.now());
    await pool.query({
      text: `insert into entity (uid, kind, project, naming_scope, name, environment, labels, resource_version, created_at, updated_at, object)
        values ($1::uuid, 'Account', 'default', '', $1::uuid::text, '', '{}', 1, now(), now(), '{}')`,
      values: [uid],
    });
    return uid;
  };
  const region = "eu-west-1";
  const given = { version: "v1.34.2", createdAtMs: 1000, recordTypes: ["aws_eks_cluster"] };
  const expectCluster = (accountUid: string, name: string): Promise<SimulatedClusterRow | undefined> =>
    expectSimulatedCluster(pool, { accountUid, region, name }, given);

  test("X071 an account can request 200 clusters that do not exist yet, and its other clusters and other accounts are not affected", async () => {
    const [account, other] = [await insertAccount(), await insertAccount()];
    for (let index = 0; index < 200; index++) await expectCluster(account, `cluster-${index}`);
    await expect(expectCluster(account, "one-more")).rejects.toMatchObject({ code: "store.simulated_clusters_full" });
    expect(await expectCluster(account, "cluster-7")).toMatchObject({ name: "cluster-7", seen: false });
    expect(await expectCluster(other, "one-more")).toMatchObject({ name: "one-more" });
    const { id } = (await expectCluster(account, "cluster-7")) as SimulatedClusterRow;
    await updateSimulatedCluster(pool, { id, version: "v1.34.2", createdAtMs: 1000 });
    expect(await expectCluster(account, "one-more")).toMatchObject({ name: "one-more" });
    await expect(expectCluster(account, "another")).rejects.toMatchObject({ code: "store.simulated_clusters_full" });
  });

  test("X071 a cluster whose id belongs to another account is neither opened nor changed", async () => {
    const [account, other] = [await insertAccount(), await insertAccount()];
    const place = { accountUid: account, region, name: "blue" };
    const id = renderSimulatedClusterId(place);
    await insertSimulatedCluster(pool, { accountUid: other, region, name: "green" }, { id, ...given });
    await commitSimulatedObjects(pool, id, { after: 0, to: 1 }, [
      { resource: "pods", namespace: "n", name: "p", object: '{"kind":"Pod"}' },
    ]);
    const before = await findSimulatedCluster(pool, id);
    await expect(expectCluster(account, "blue")).rejects.toMatchObject({ code: "store.simulated_cluster_taken" });
    expect(await findSimulatedCluster(pool, id)).toEqual(before);
    expect((await loadSimulatedObjects(pool, id))?.objects).toHaveLength(1);
    expect(await findSimulatedClusterAt(pool, place)).toBeUndefined();
  });
});
