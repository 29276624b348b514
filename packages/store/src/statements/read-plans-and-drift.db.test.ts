import { createUid, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPool, type Pool } from "../pool.ts";
import { createTestDatabase, type TestDatabase } from "../testing/index.ts";
import { readPlansAndDrift } from "./read-plans-and-drift.ts";

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

test("X032 every key gets a row, in which missing plans, outcomes and drift reports are null", async () => {
  const [first, second] = [createUid(systemClock.now()), createUid(systemClock.now())];
  const keys = [
    { entityUid: first, planUid: null, taskUid: null },
    { entityUid: second, planUid: createUid(systemClock.now()), taskUid: createUid(systemClock.now()) },
  ];
  const rows = await readPlansAndDrift(pool, keys);
  expect(rows.toSorted((a, b) => a.entityUid.localeCompare(b.entityUid))).toEqual(
    [first, second].toSorted().map((entityUid) => ({ entityUid, plan: null, formerOutcome: null, drift: null, forgotten: null })),
  );
});
