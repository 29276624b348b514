import { expect, test } from "vitest";
import { createPool } from "./pool.ts";
import { createTestDatabase } from "./testing/index.ts";

test("a pool with lasting plans uses generic plans, so that a statement is planned only once", async () => {
  const database = await createTestDatabase();
  const pool = createPool(database.connection, { size: 1, lastingPlans: true });
  for (let nth = 0; nth < 3; nth += 1)
    await pool.query({ name: "asked", text: "select uid from entity where name = $1", values: [String(nth)] });
  const text =
    "select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements where name = 'asked'";
  expect((await pool.query({ text, values: [] })).rows).toEqual([{ generic: 3, custom: 0 }]);
  await pool.close();
  await database.drop();
});
