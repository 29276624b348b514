import { randomBytes } from "node:crypto";
import { createUid, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createPool, type Database, type Pool } from "../pool.ts";
import { createTestDatabase, type TestDatabase } from "../testing/index.ts";
import { prune } from "./prune.ts";
import { formatPosition, readChanges, resolvePosition, type Position } from "./read-changes.ts";

const [past, now, future] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"] as const;
const start: Position = { xid: 0n, seq: 0n };

let database: TestDatabase;
let pool: Pool;
let seq = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});
beforeEach(async () => {
  await pool.query({ text: "truncate change, session, used_token, idempotency, entity cascade", values: [] });
});

async function addChange(at: string, client: Database = pool): Promise<void> {
  seq += 1;
  await client.query({
    text: `insert into change (seq, at, type, project, kind, uid, environment, labels, object)
      values ($1, $2, 'ADDED', 'default', 'Agent', gen_random_uuid(), '', '{}', '{}')`,
    values: [seq, at],
  });
}

/** Waits until `count` changes are readable. Open transactions, even in other databases on this server, can delay them. */
async function readSettled(count: number): Promise<string[]> {
  const read = async (): Promise<string[]> =>
    (await readChanges(pool, start, 100)).map(({ position }) => formatPosition(position));
  await expect.poll(read).toHaveLength(count);
  return read();
}

describe("X002 pruning the change log", () => {
  test("deletes old changes and rejects resuming from before them", async () => {
    for (const at of [past, past, future]) await addChange(at);
    const [first = "", second = "", third = ""] = await readSettled(3);
    expect(await prune(pool, { changes: now, idempotency: past, now: past })).toEqual({ changes: 2 });
    expect(await readSettled(1)).toEqual([third]);
    await expect(resolvePosition(pool, first)).rejects.toMatchObject({ code: "store.watch_expired" });
    await expect(resolvePosition(pool, first.split(".")[1] ?? "")).rejects.toMatchObject({ code: "store.watch_expired" });
    expect(formatPosition(await resolvePosition(pool, second))).toBe(second);
    expect(formatPosition(await resolvePosition(pool, third))).toBe(third);
  });

  test("never moves the horizon back", async () => {
    await addChange(past);
    const [first = ""] = await readSettled(1);
    await prune(pool, { changes: now, idempotency: past, now: past });
    expect(await prune(pool, { changes: now, idempotency: past, now: past })).toEqual({ changes: 0 });
    expect(formatPosition(await resolvePosition(pool, first))).toBe(first);
    await expect(resolvePosition(pool, "1.1")).rejects.toMatchObject({ code: "store.watch_expired" });
  });

  test("keeps changes that an open transaction could still precede", async () => {
    await pool.transaction(async (open) => {
      await addChange(past, open);
      await addChange(past);
      expect(await prune(pool, { changes: future, idempotency: past, now: past })).toEqual({ changes: 0 });
    });
    expect(await readSettled(2)).toHaveLength(2);
  });

  test("is done by one replica at a time, and the other one continues", async () => {
    for (let index = 0; index < 20; index += 1) await addChange(past);
    await readSettled(20);
    const pruned = await Promise.all([1, 2, 3].map(() => prune(pool, { changes: now, idempotency: past, now: past })));
    expect(pruned.reduce((sum, { changes }) => sum + changes, 0)).toBe(20);
  });
});

test("M099 pruning deletes expired sessions, used tokens and Idempotency-Keys, and no others", async () => {
  const entityUid = createUid(systemClock.now());
  await pool.query({
    text: `insert into entity (uid, kind, project, name, labels, resource_version, created_at, updated_at, object)
      values ($1, 'User', '', 'ada', '{}', 1, now(), now(), '{}')`,
    values: [entityUid],
  });
  await pool.query({
    text: "insert into api_key (hash, uid, user_uid, prefix, project, role) values ($1, $2, $2, 'p', '', '')",
    values: [randomBytes(32), entityUid],
  });
  for (const at of [past, future]) {
    await pool.query({ text: "insert into session values ($1, $2, $3, $3)", values: [randomBytes(32), entityUid, at] });
    await pool.query({ text: "insert into used_token values ($1, $2)", values: [`token of ${at}`, at] });
    await pool.query({ text: "insert into idempotency values ($1, $1, $2, $3)", values: [randomBytes(32), entityUid, at] });
  }
  await prune(pool, { changes: past, idempotency: now, now });
  const { rows } = await pool.query({
    text: `select (select array_agg(expires_at) from session) as session, (select array_agg(expires_at) from used_token) as used_token,
      (select array_agg(created_at) from idempotency) as idempotency`,
    values: [],
  });
  const kept = [new Date(future)];
  expect(rows).toEqual([{ session: kept, used_token: kept, idempotency: kept }]);
});

describe("X015 pruning operations", () => {
  test("deletes those that ended long ago, but neither the newest of an entity nor unfinished ones", async () => {
    const entity = createUid(0);
    const add = (name: string, kind: string, uid: string, object: object, at: string): Promise<unknown> =>
      pool.query({
        text: `insert into entity (uid, kind, project, name, labels, resource_version, created_at, updated_at, object)
          values ($1, $2, 'default', $3, '{}', 1, $4, $4, $5)`,
        values: [uid, kind, name, at, JSON.stringify(object)],
      });
    const operation = (name: string, state: string, at: string): Promise<unknown> =>
      add(name, "Operation", createUid(0), { spec: { entityUid: entity }, status: { state } }, at);
    await add("blue", "Cluster", entity, { metadata: { operation: "op-newest" } }, past);
    await operation("op-old", "DONE", past);
    await operation("op-failed", "FAILED", past);
    await operation("op-open", "RUNNING", past);
    await operation("op-newest", "DONE", past);
    await operation("op-recent", "DONE", future);
    await prune(pool, { changes: past, idempotency: past, now: past, operations: now });
    const { rows } = await pool.query<{ name: string }>({
      text: "select name from entity where kind = 'Operation' order by name",
      values: [],
    });
    expect(rows.map(({ name }) => name)).toEqual(["op-newest", "op-open", "op-recent"]);
  });
});

test("X031 recorded responses of simulated clouds are deleted after an hour", async () => {
  const uid = createUid(systemClock.now());
  await pool.query({
    text: `insert into entity (uid, kind, project, name, labels, resource_version, created_at, updated_at, object)
      values ($1, 'Account', 'default', 'sim', '{}', 1, $2, $2, '{}')`,
    values: [uid, past],
  });
  for (const at of [past, "2026-01-01T23:30:00Z"])
    await pool.query({
      text: "insert into simulated_request (account_uid, uid, answers, at) values ($1, $2, '[]', $3)",
      values: [uid, createUid(systemClock.now()), at],
    });
  await prune(pool, { changes: past, idempotency: past, now });
  const { rows } = await pool.query({ text: "select at from simulated_request", values: [] });
  expect(rows).toEqual([{ at: new Date("2026-01-01T23:30:00Z") }]);
});

test("M182 M183 cluster tokens are deleted after they expire, and unanswered requests for tokens after a day", async () => {
  const cluster = createUid(systemClock.now());
  await pool.query({
    text: `insert into entity (uid, kind, project, name, labels, resource_version, created_at, updated_at, object)
      values ($1, 'Cluster', 'default', 'dev', '{}', 1, $2, $2, '{}')`,
    values: [cluster, past],
  });
  const add = async (ttl: number, expiresAt: string | null, askedAt: string): Promise<void> => {
    const uid = createUid(systemClock.now());
    const task = { uid, key: uid, project: "default", entity_uid: uid, lane: "short", placement: "{}", type: "cluster.token" };
    const rest = { payload_version: 1, priority: 0, max_attempts: 1, object: { ttl } };
    await pool.query({ text: "select enqueue_tasks($1)", values: [JSON.stringify([{ ...task, ...rest }])] });
    await pool.query({
      text: `insert into cluster_token (uid, cluster_uid, role, ttl_seconds, asked_by, server, expires_at, asked_at, sealed)
        values ($1, $2, 'admin', $3, 'eva', '', $4, $5, '\\x00')`,
      values: [uid, cluster, ttl, expiresAt, askedAt],
    });
  };
  await add(1, past, past);
  await add(2, future, past);
  await add(3, null, "2025-12-31T23:59:59Z");
  await add(4, null, now);
  await prune(pool, { changes: past, idempotency: past, now });
  const { rows } = await pool.query({ text: "select ttl_seconds as ttl from cluster_token order by 1", values: [] });
  expect(rows).toEqual([{ ttl: 2 }, { ttl: 4 }]);
  const open = "select (object ->> 'ttl')::int as ttl from task where ended is null order by 1";
  expect((await pool.query({ text: open, values: [] })).rows).toEqual([{ ttl: 2 }, { ttl: 4 }]);
});
