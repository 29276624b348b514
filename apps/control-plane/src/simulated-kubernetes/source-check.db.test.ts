import { createManualClock, createUid } from "@cloudwright/platform";
import { createPool, type Pool } from "@cloudwright/store";
import { createTestDatabase, type TestDatabase } from "@cloudwright/store/testing";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createSourceCheck } from "./source-check.ts";

const [user, key] = [createUid(1), createUid(2)];
const clock = createManualClock();
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

async function run(text: string, ...values: unknown[]): Promise<void> {
  await pool.query({ text, values });
}

beforeEach(async () => {
  await run("truncate entity cascade");
  for (const [uid, kind] of [
    [user, "User"],
    [key, "ApiKey"],
  ])
    await run(
      `insert into entity (uid, kind, project, name, labels, resource_version, created_at, updated_at, object)
        values ($1, $2, '', $1::uuid::text, '{}', 1, now(), now(), '{}')`,
      uid,
      kind,
    );
  const text = "insert into api_key (hash, uid, user_uid, prefix, project, role) values ($1, $2, $3, 'cw_aaaaaaa', '', '')";
  await run(text, randomBytes(32), key, user);
});

const changes: readonly [what: string, text: string][] = [
  ["rotated", "update api_key set prefix = 'cw_bbbbbbb'"],
  ["deleted", "delete from api_key"],
  ["expired", "update api_key set expires_at = to_timestamp(0)"],
  ["used by a disabled user", `update entity set object = '{"spec":{"disabled":true}}' where kind = 'User'`],
];

test.each(changes)("M006 M183 kubeconfigs end within seconds after their API key is %s", async (_what, text) => {
  const isValid = createSourceCheck({ pool, clock });
  const source = `${key}~cw_aaaaaaa`;
  expect(await isValid(source)).toBe(true);
  await run(text);
  clock.advance(2000);
  expect(await isValid(source)).toBe(false);
});

test.each(["", "x", `${key}~`, `${key}~cw_other`, `${user}~cw_aaaaaaa`, "~cw_aaaaaaa"])(
  "M006 an unknown source is not valid: %j",
  async (source) => {
    expect(await createSourceCheck({ pool, clock })(source)).toBe(false);
  },
);
