import { afterAll, beforeAll, expect, test } from "vitest";
import { createPool, type Pool } from "../pool.ts";
import { createTestDatabase, type TestDatabase } from "../testing/index.ts";
import { lockSetUp, tryHomeLock } from "./advisory-locks.ts";
import { isReachable } from "./is-reachable.ts";

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

test("one connection at a time has the home lock, until it ends", async () => {
  const first = await tryHomeLock(pool);
  expect(first).toBeDefined();
  expect(await tryHomeLock(pool)).toBeUndefined();
  await first?.end();
  const ended = { text: "select from pg_locks where locktype = 'advisory'", values: [] };
  await expect.poll(async () => (await pool.query(ended)).rowCount).toBe(0);
  const next = await tryHomeLock(pool);
  expect(next).toBeDefined();
  await next?.end();
});

test("transactions that set up the platform run one after the other", async () => {
  let inside = 0;
  const setUp = (): Promise<number> =>
    pool.transaction(async (transaction) => {
      await lockSetUp(transaction);
      inside += 1;
      const seen = inside;
      await transaction.query({ text: "select pg_sleep(0.01)", values: [] });
      inside -= 1;
      return seen;
    });
  expect(await Promise.all([setUp(), setUp(), setUp()])).toEqual([1, 1, 1]);
});

test("a database that does not answer is not reachable", async () => {
  expect(await isReachable(pool)).toBe(true);
  const nowhere = createPool({ host: "/nonexistent", port: 1, user: "nobody", database: "none" });
  expect(await isReachable(nowhere)).toBe(false);
  await nowhere.close();
});
