import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPool, isCollision, retryCollisions, type Pool } from "./pool.ts";
import { createTestDatabase, type TestDatabase } from "./testing/index.ts";

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
  await pool.query({ text: "create table pair (id integer primary key, hits integer not null)", values: [] });
  await pool.query({ text: "insert into pair values (1, 0), (2, 0)", values: [] });
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});

/** Locks two rows with a pause in between, so that a transaction that locks them in the opposite order causes a deadlock. */
const cross = (first: number, second: number): Promise<unknown> =>
  pool.transaction(async (client) => {
    const text = "update pair set hits = hits + 1 where id = $1";
    await client.query({ text, values: [first] });
    await client.query({ text: "select pg_sleep(0.3)", values: [] });
    await client.query({ text, values: [second] });
  });

describe("M040 statements that deadlock", () => {
  test("abort one of them, which is retried and succeeds", async () => {
    const outcomes = await Promise.allSettled([cross(1, 2), cross(2, 1)]);
    const failures = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(failures.map(({ reason }) => isCollision(reason))).toEqual([true]);
    await Promise.all([retryCollisions(() => cross(1, 2)), retryCollisions(() => cross(2, 1))]);
    const { rows } = await pool.query<{ hits: number }>({ text: "select hits from pair order by id", values: [] });
    expect(rows).toEqual([{ hits: 3 }, { hits: 3 }]);
  });

  test("other errors are not retried", async () => {
    let tries = 0;
    const broken = retryCollisions(() => {
      tries += 1;
      return Promise.reject(new Error("something else"));
    });
    await expect(broken).rejects.toThrow("something else");
    expect(tries).toBe(1);
  });
});
