import { afterAll, beforeAll, expect, test } from "vitest";
import { createPool, type Pool } from "../pool.ts";
import { createTestDatabase, type TestDatabase } from "../testing/index.ts";
import { formatPosition, readChanges } from "./read-changes.ts";

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

test("X002 changes are ordered by transaction, even when transaction ids gain a digit", async () => {
  for (const position of ["99.4", "100.3", "100.2", "101.1", "9.5"]) await insertChange(position);
  expect(await read("0.0")).toEqual(["9.5", "99.4", "100.2", "100.3", "101.1"]);
  expect(await read("99.4")).toEqual(["100.2", "100.3", "101.1"]);
  expect(await read("99.4", "default")).toEqual(["100.2", "100.3", "101.1"]);
});

async function read(after: string, project?: string): Promise<string[]> {
  const [xid = "", seq = ""] = after.split(".");
  const changes = await readChanges(pool, { xid: BigInt(xid), seq: BigInt(seq) }, 10, project);
  return changes.map(({ position }) => formatPosition(position));
}

async function insertChange(position: string): Promise<void> {
  const text = `insert into change (xid, seq, at, type, project, kind, uid, environment, labels, object)
    values ($1::text::xid8, $2, now(), 'ADDED', 'default', 'Cluster', gen_random_uuid(), '', '{}', '{}')`;
  await pool.query({ text, values: position.split(".") });
}
