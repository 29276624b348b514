import { createLogger, createUid, systemClock } from "@cloudwright/platform";
import type { CloudRecord } from "@cloudwright/simulator";
import { createPool, strikeSimulatedAccount, type Pool } from "@cloudwright/store";
import { createTestDatabase, type TestDatabase } from "@cloudwright/store/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCloudFollower } from "./follow-clouds.ts";
import { createStoredInventory } from "./stored-inventory.ts";

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

async function insertAccount(cluster: string): Promise<string> {
  const uid = createUid(systemClock.now());
  await pool.query({
    text: `insert into entity (uid, kind, project, naming_scope, name, environment, labels, resource_version, created_at, updated_at, object)
      values ($1::uuid, 'Account', 'default', '', $1::uuid::text, '', '{}', 1, now(), now(), '{}')`,
    values: [uid],
  });
  const attributes = { name: cluster, region: "eu-west-1", version: "1.34" };
  await createStoredInventory({ pool }).put(uid, { type: "aws_eks_cluster", id: cluster, attributes });
  return uid;
}

test("X063 the follower records the account that it reads, and skips accounts that are paused", async () => {
  const [bad, good] = [await insertAccount("bad"), await insertAccount("good")];
  const stored = createStoredInventory({ pool });
  let reading: string | undefined;
  let isInTurn = false;
  const reads: { readonly tenant: string; readonly reading: string | undefined; readonly isInTurn: boolean }[] = [];
  const inventory = {
    ...stored,
    list: (tenant: string, type?: string): Promise<readonly CloudRecord[]> => {
      reads.push({ tenant, reading, isInTurn });
      return stored.list(tenant, type);
    },
  };
  const created: string[] = [];
  const host = {
    createCluster: async (id: string): Promise<void> => void created.push(id.split("-")[0] ?? ""),
    async loadInTurn<Result>(work: () => Promise<Result>): Promise<Result> {
      isInTurn = true;
      return work().finally(() => (isInTurn = false));
    },
    reload: async (): Promise<void> => undefined,
    setNodes: async (): Promise<void> => undefined,
  };
  const log = createLogger({ level: "silent", name: "test" });
  const trace = { setReading: (account: string | undefined): void => void (reading = account) };
  const follow = (): Promise<void> =>
    createCloudFollower({ pool, log, inventory, places: new Map(), trace, now: () => systemClock.now() }).follow(host);
  await follow();
  expect(created.toSorted()).toEqual(["bad", "good"]);
  expect(new Set(reads.map(({ tenant }) => tenant))).toEqual(new Set([bad, good]));
  for (const read of reads) expect(read).toEqual({ tenant: read.tenant, reading: read.tenant, isInTurn: true });
  expect(reading).toBeUndefined();

  await strikeSimulatedAccount(pool, bad);
  reads.length = 0;
  await follow();
  expect(new Set(reads.map(({ tenant }) => tenant))).toEqual(new Set([good]));
});
