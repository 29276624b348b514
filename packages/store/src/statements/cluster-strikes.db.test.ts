import { createUid, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPool, type Pool } from "../pool.ts";
import { createTestDatabase, type TestDatabase } from "../testing/index.ts";
import type { AuditWrite } from "../trace.ts";
import { findClusterPause, listPausedAccounts, strikeSimulatedAccount, strikeSimulatedCluster } from "./cluster-strikes.ts";
import { deleteSimulatedCluster, insertSimulatedCluster } from "./simulated-clusters.ts";
import { resetSimulatedCloud } from "./simulated-records.ts";

let database: TestDatabase;
let pool: Pool;
const accountUid = createUid(systemClock.now());
const insert = (id: string): Promise<boolean> =>
  insertSimulatedCluster(pool, { accountUid, region: "eu-west-1", name: id }, { id, version: "v1.34.1", createdAtMs: 1000 });
const audit = (): AuditWrite => ({
  uid: createUid(systemClock.now()),
  at: new Date(systemClock.now()).toISOString(),
  actor: "test",
  credential: "",
  verb: "reset",
  kind: "SimulatedCloud",
  project: "default",
  name: accountUid,
  entityUid: null,
  outcome: "allowed",
  code: "",
  source: "",
  requestId: "",
});

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
  await pool.query({
    text: `insert into entity (uid, kind, project, naming_scope, name, environment, labels, resource_version, created_at, updated_at, object)
      values ($1::uuid, 'Account', 'default', '', $1::uuid::text, '', '{}', 1, now(), now(), '{}')`,
    values: [accountUid],
  });
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});

test("X063 a cluster with a strike is paused, longer with each strike and at most for a day, and others are not", async () => {
  await insert("bad");
  await insert("good");
  expect(await strikeSimulatedCluster(pool, "unknown")).toBe(false);
  const minutes: number[] = [];
  for (let strike = 0; strike < 6; strike++) {
    expect(await strikeSimulatedCluster(pool, "bad")).toBe(true);
    const { rows } = await pool.query<{ at: Date }>({
      text: "select struck_at as at from simulated_cluster where id = 'bad'",
      values: [],
    });
    const until = await findClusterPause(pool, "bad");
    minutes.push(((until?.getTime() ?? 0) - (rows[0]?.at.getTime() ?? 0)) / 60_000);
  }
  expect(minutes).toEqual([15, 60, 240, 960, 1440, 1440]);
  expect(await findClusterPause(pool, "good")).toBeUndefined();
});

test("X063 a pause ends after its time, and with the cluster", async () => {
  await insert("ended");
  await strikeSimulatedCluster(pool, "ended");
  await pool.query({
    text: "update simulated_cluster set struck_at = struck_at - interval '15 minutes' where id = 'ended'",
    values: [],
  });
  expect(await findClusterPause(pool, "ended")).toBeUndefined();
  await strikeSimulatedCluster(pool, "ended");
  expect(await findClusterPause(pool, "ended")).toBeDefined();
  await deleteSimulatedCluster(pool, "ended");
  await insert("ended");
  expect(await findClusterPause(pool, "ended")).toBeUndefined();
});

test("X063 an account with a strike is paused with its clusters, longer with each strike, until its cloud is reset", async () => {
  await insert("of-account");
  expect(await strikeSimulatedAccount(pool, createUid(systemClock.now()))).toBe(false);
  expect(await listPausedAccounts(pool)).toEqual(new Set());
  const minutes: number[] = [];
  for (let strike = 0; strike < 3; strike++) {
    expect(await strikeSimulatedAccount(pool, accountUid)).toBe(true);
    const { rows } = await pool.query<{ at: Date }>({
      text: "select struck_at as at from simulated_account_strike where account_uid = $1",
      values: [accountUid],
    });
    const until = await findClusterPause(pool, "of-account");
    minutes.push(((until?.getTime() ?? 0) - (rows[0]?.at.getTime() ?? 0)) / 60_000);
  }
  expect(minutes).toEqual([15, 60, 240]);
  expect(await listPausedAccounts(pool)).toEqual(new Set([accountUid]));
  await resetSimulatedCloud(pool, accountUid, audit());
  expect(await listPausedAccounts(pool)).toEqual(new Set());
  expect(await findClusterPause(pool, "of-account")).toBeUndefined();
});

test("X063 the pause of an account ends after its time, and strikes that are older than a week do not count", async () => {
  const age = (interval: string): Promise<unknown> =>
    pool.query({
      text: "update simulated_account_strike set struck_at = struck_at - $2::interval where account_uid = $1",
      values: [accountUid, interval],
    });
  await strikeSimulatedAccount(pool, accountUid);
  await age("15 minutes");
  expect(await listPausedAccounts(pool)).toEqual(new Set());
  await strikeSimulatedAccount(pool, accountUid);
  await age("8 days");
  await strikeSimulatedAccount(pool, accountUid);
  await age("15 minutes");
  expect(await listPausedAccounts(pool)).toEqual(new Set());
});
