import { afterAll, beforeAll, expect, test } from "vitest";
import { createPool, type Database, type Pool } from "./pool.ts";
import { createTestDatabase, type TestDatabase } from "./testing/index.ts";
import { createVersions } from "./versions.ts";

let database: TestDatabase;
let pools: Pool[];

beforeAll(async () => {
  database = await createTestDatabase();
  pools = [createPool(database.connection), createPool(database.connection)];
});
afterAll(async () => {
  for (const pool of pools) await pool.close();
  await database.drop();
});

function take(versions: { next(): Promise<string> }, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => versions.next()));
}

test("M025 two processes never issue the same resource version", async () => {
  const taken = await Promise.all([...pools, ...pools].map((pool) => take(createVersions(pool), 300)));
  expect(new Set(taken.flat()).size).toBe(1200);
});

test("M025 versions of one process increase", async () => {
  const [pool] = pools;
  const versions = createVersions(pool as Pool);
  const taken: number[] = [];
  for (let index = 0; index < 200; index += 1) taken.push(Number(await versions.next()));
  expect(taken).toEqual(taken.toSorted((a, b) => a - b));
  expect(new Set(taken).size).toBe(200);
});

test("M025 many concurrent versions cost one database query per 64", async () => {
  let asked = 0;
  const counting: Database = {
    query: (statement) => {
      asked += 1;
      return (pools[0] as Pool).query(statement);
    },
  };
  await take(createVersions(counting), 640);
  expect(asked).toBe(10);
});

test("M025 after a database outage, versions come from the database again", async () => {
  let down = true;
  const flaky: Database = {
    query: (statement) => (down ? Promise.reject(new Error("gone")) : (pools[0] as Pool).query(statement)),
  };
  const versions = createVersions(flaky);
  expect((await Promise.allSettled([versions.next(), versions.next()])).map(({ status }) => status)).toEqual([
    "rejected",
    "rejected",
  ]);
  down = false;
  expect(Number(await versions.next())).toBeGreaterThan(0);
});
