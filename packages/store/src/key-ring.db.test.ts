import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "@cloudwright/platform";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openKeyRing } from "./key-ring.ts";
import { createPool, type Pool } from "./pool.ts";
import { seal, type KeyRing } from "./seal.ts";
import { createTestDatabase, type TestDatabase } from "./testing/index.ts";

let database: TestDatabase;
let pool: Pool;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "key-ring-"));
  await pool.query({ text: "truncate signing_key", values: [] });
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Stores a signing key unless one exists, as a server does on its first start. */
async function sign(ring: KeyRing): Promise<void> {
  const text =
    "insert into signing_key (kid, created_at, public_jwk, sealed) values ('k1', now(), '{}', $1) on conflict do nothing";
  await pool.query({ text, values: [seal(ring, "k1", "signing")] });
}

const fileOf = (replica: string): string => join(folder, `${replica}.keys`);
const open = (replica: string): Promise<KeyRing> => openKeyRing(pool, { file: fileOf(replica), keys: undefined }, sign);

test("M097 a server without the keys of its database is refused and does not write a key file", async () => {
  await open("first");
  await expect(open("second")).rejects.toMatchObject({ code: "store.key_missing" });
  expect(readdirSync(folder)).toEqual(["first.keys"]);
  const keys = new Secret(readFileSync(fileOf("first"), "utf8"));
  await openKeyRing(pool, { file: fileOf("third"), keys }, sign);
  expect(existsSync(fileOf("third"))).toBe(false);
});

test("M097 exactly one of several servers that start on a new database at the same time creates keys", async () => {
  const replicas = Array.from({ length: 4 }, (_, index) => `replica-${index}`);
  const opened = await Promise.allSettled(replicas.map(open));
  expect(opened.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(readdirSync(folder)).toHaveLength(1);
});
