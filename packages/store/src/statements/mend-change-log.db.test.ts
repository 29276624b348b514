import { afterAll, beforeAll, expect, test } from "vitest";
import { createPool, type Pool } from "../pool.ts";
import { createTestDatabase, type TestDatabase } from "../testing/index.ts";
import { mendChangeLog } from "./mend-change-log.ts";
import { readHead, resolvePosition } from "./read-changes.ts";

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

test("X002 a change log of this server is left unchanged", async () => {
  expect(await mendChangeLog(pool)).toBe(false);
});

test("X002 a change log restored from another server is cleared, and new watches work", async () => {
  await pool.query({
    text: `insert into change (xid, seq, at, type, project, kind, uid, environment, labels, object)
      values ('999999999', 1, now(), 'ADDED', 'p', 'Agent', gen_random_uuid(), '', '{}', '{}')`,
    values: [],
  });
  expect(await mendChangeLog(pool)).toBe(true);
  expect((await pool.query({ text: "select 1 from change", values: [] })).rows).toEqual([]);
  const head = await readHead(pool);
  await expect(resolvePosition(pool, `${head.xid}.0`)).resolves.toEqual(head);
  await expect(resolvePosition(pool, "1.1")).rejects.toMatchObject({ code: "store.watch_expired" });
  expect(await mendChangeLog(pool)).toBe(false);
});
