import { randomBytes } from "node:crypto";
import { createUid, Secret, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createPool, type Pool } from "./pool.ts";
import { rewrapSecrets } from "./rewrap-secrets.ts";
import { seal, unseal, type KeyRing } from "./seal.ts";
import { createTestDatabase, type TestDatabase } from "./testing/index.ts";

const keys = { old: new Secret(randomBytes(32)), new: new Secret(randomBytes(32)) };
const oldRing: KeyRing = { primary: "old", keys: new Map([["old", keys.old]]) };
const bothRing: KeyRing = {
  primary: "new",
  keys: new Map([
    ["new", keys.new],
    ["old", keys.old],
  ]),
};
const newRing: KeyRing = { primary: "new", keys: new Map([["new", keys.new]]) };
const count = 450;

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
beforeEach(async () => {
  await pool.query({ text: "truncate entity, signing_key cascade", values: [] });
  const uids = Array.from({ length: count }, () => createUid(systemClock.now()));
  await pool.query({
    text: `insert into entity (uid, kind, project, name, labels, resource_version, created_at, updated_at, object, sealed)
      select uid, 'Account', 'default', uid::text, '{}', 1, now(), now(), '{}', sealed from unnest($1::uuid[], $2::bytea[]) as r (uid, sealed)`,
    values: [uids, uids.map((uid, index) => (index % 3 === 0 ? null : seal(oldRing, uid, `secret of ${uid}`)))],
  });
  const text = "insert into signing_key (kid, created_at, public_jwk, sealed) values ('k1', now(), '{}', $1)";
  await pool.query({ text, values: [seal(oldRing, "k1", "signing")] });
  const [cluster = ""] = uids;
  await pool.query({
    text: `insert into cluster_token (uid, cluster_uid, role, ttl_seconds, asked_by, server, sealed) values ($1, $1, 'admin', 3600, 'eva', '', $2)`,
    values: [cluster, seal(oldRing, cluster, "a cluster's token")],
  });
});

async function readAll(): Promise<{ uid: string; sealed: Buffer }[]> {
  const text = "select uid, sealed from entity where sealed is not null";
  return (await pool.query<{ uid: string; sealed: Buffer }>({ text, values: [] })).rows;
}

describe("M097 M182 rotating keys", () => {
  test("rewraps every record once, so that the old key can be removed", async () => {
    expect(await rewrapSecrets(pool, bothRing)).toBe((count / 3) * 2 + 2);
    expect(await rewrapSecrets(pool, bothRing)).toBe(0);
    const rows = await readAll();
    expect(rows).toHaveLength((count / 3) * 2);
    for (const { uid, sealed } of rows) expect(unseal(newRing, uid, sealed)).toBe(`secret of ${uid}`);
    const signing = await pool.query<{ sealed: Buffer }>({ text: "select sealed from signing_key", values: [] });
    expect(unseal(newRing, "k1", signing.rows[0]?.sealed ?? Buffer.alloc(0))).toBe("signing");
    const token = await pool.query<{ uid: string; sealed: Buffer }>({
      text: "select uid, sealed from cluster_token",
      values: [],
    });
    expect(token.rows.map(({ uid, sealed }) => unseal(newRing, uid, sealed))).toEqual(["a cluster's token"]);
  });

  test("does not lose concurrent writes", async () => {
    const rows = await readAll();
    const write = async ({ uid }: { uid: string }): Promise<void> => {
      await pool.query({
        text: "update entity set sealed = $2 where uid = $1",
        values: [uid, seal(bothRing, uid, `newer of ${uid}`)],
      });
    };
    await Promise.all([rewrapSecrets(pool, bothRing), rewrapSecrets(pool, bothRing), ...rows.map(write)]);
    for (const { uid, sealed } of await readAll()) expect(unseal(newRing, uid, sealed)).toBe(`newer of ${uid}`);
  });

  test("is rejected if the ring lacks a record's key, and leaves the record unchanged", async () => {
    const before = await readAll();
    await expect(rewrapSecrets(pool, newRing)).rejects.toMatchObject({ code: "store.key_missing" });
    expect(await readAll()).toEqual(before);
  });
});
