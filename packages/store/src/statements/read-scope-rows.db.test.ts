import { createUid, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPool, type Pool } from "../pool.ts";
import { createTestDatabase, type TestDatabase } from "../testing/index.ts";
import { readScopeRows } from "./read-scope-rows.ts";

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

test.each([false, true])(
  "M040 a row has its ancestors and no tasks yet, and missing entities are omitted (links: %s)",
  async (withLinks) => {
    const [project, account, missing] = [0, 1, 2].map((later) => createUid(systemClock.now() + later)) as [
      string,
      string,
      string,
    ];
    const text = `insert into entity (uid, kind, project, name, parent_uid, labels, resource_version, created_at, updated_at, object)
    values ($1, 'Project', '', $3, null, '{}', 1, now(), now(), '{"spec":{}}'), ($2, 'Account', $3, 'aws', $1, '{}', 2, now(), now(), '{"spec":{}}')`;
    await pool.query({ text, values: [project, account, `p-${project.slice(-12)}`] });
    const rows = await readScopeRows<Record<string, unknown>>(pool, [account, missing], withLinks);
    expect(rows).toMatchObject([
      {
        uid: account,
        kind: "Account",
        parentUid: project,
        above: [{ uid: project, kind: "Project", outputs: null }],
        tasks: null,
        begun: null,
      },
    ]);
  },
);
