import { createLogger } from "@cloudwright/platform";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { migrate, readMigrations } from "./migrate.ts";
import { createPool, type Pool } from "./pool.ts";
import { createTestDatabase, type TestDatabase } from "./testing/index.ts";

const log = createLogger({ level: "silent", name: "test" });
const released = readMigrations();

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
  await pool.query({ text: "drop schema public cascade; create schema public", values: [] });
});

async function applied(): Promise<{ version: number; name: string; applied_at: Date }[]> {
  const text = "select version, name, applied_at from migration order by version";
  return (await pool.query<{ version: number; name: string; applied_at: Date }>({ text, values: [] })).rows;
}

async function tables(): Promise<string[]> {
  const text = "select tablename from pg_tables where schemaname = 'public' order by 1";
  return (await pool.query<{ tablename: string }>({ text, values: [] })).rows.map(({ tablename }) => tablename);
}

function migration(version: number, sql: string): (typeof released)[number] {
  return { version, name: `${String(version).padStart(4, "0")}_made_up.sql`, sql, checksum: `checksum of ${sql}` };
}

describe("M099 migrations", () => {
  test("are numbered from one without gaps or duplicates", () => {
    expect(released.map(({ version }) => version)).toEqual(released.map((_, index) => index + 1));
  });

  test("bring an empty database to this release", async () => {
    await migrate({ log }, database.connection);
    expect((await applied()).map(({ name }) => name)).toEqual(released.map(({ name }) => name));
    expect(await tables()).toEqual(expect.arrayContaining(["audit", "change", "entity", "event", "migration"]));
  });

  test("run once, no matter how often migrate is called", async () => {
    await migrate({ log }, database.connection);
    const before = await applied();
    await migrate({ log }, database.connection);
    expect(await applied()).toEqual(before);
  });

  test("run once if several replicas start together", async () => {
    await Promise.all(Array.from({ length: 4 }, () => migrate({ log }, database.connection)));
    expect((await applied()).map(({ version }) => version)).toEqual(released.map(({ version }) => version));
  });

  test("of a later release run after those that have already run", async () => {
    const first = migration(1, "create table one (id integer)");
    await migrate({ log }, database.connection, [first]);
    await pool.query({ text: "insert into one values (7)", values: [] });
    await migrate({ log }, database.connection, [first, migration(2, "alter table one add column more text default 'x'")]);
    expect((await pool.query({ text: "select * from one", values: [] })).rows).toEqual([{ id: 7, more: "x" }]);
  });

  test("that fail leave nothing behind, and earlier ones stay applied", async () => {
    const good = migration(1, "create table one (id integer)");
    const broken = migration(2, "create table two (id integer); select 1/0; create table three (id integer)");
    await expect(migrate({ log }, database.connection, [good, broken])).rejects.toMatchObject({ code: "22012" });
    expect(await tables()).toEqual(["migration", "one"]);
    await migrate({ log }, database.connection, [good, migration(2, "create table two (id integer)")]);
    expect(await tables()).toEqual(["migration", "one", "two"]);
  });
});

describe("M099 a database is rejected", () => {
  test("if a newer release has migrated it, and is left unchanged", async () => {
    await migrate({ log }, database.connection, [...released, migration(9999, "create table newer (id integer)")]);
    await expect(migrate({ log }, database.connection)).rejects.toMatchObject({ code: "store.database_newer" });
    expect(await tables()).toContain("newer");
  });

  test("if its migrations had different contents, before any other migration runs", async () => {
    await migrate({ log }, database.connection, [migration(1, "create table one (id integer)")]);
    const edited = [migration(1, "create table one (id bigint)"), migration(2, "create table two (id integer)")];
    await expect(migrate({ log }, database.connection, edited)).rejects.toMatchObject({ code: "store.migration_edited" });
    expect(await tables()).toEqual(["migration", "one"]);
  });
});

test("X062 accounts that use an agent's identity keep it after the upgrade; no other account and no project gets it", async () => {
  const upgrade = released.findIndex(({ name }) => name.endsWith("identity_grants.sql"));
  await migrate({ log }, database.connection, released.slice(0, upgrade));
  const insert = async (kind: string, project: string, uid: string, spec: object): Promise<void> => {
    const text = `insert into entity (uid, kind, project, name, labels, resource_version, created_at, updated_at, object)
      values ($1, $2, $3, $1::uuid::text, '{}', 1, now(), now(), $4)`;
    await pool.query({ text, values: [uid, kind, project, JSON.stringify({ spec })] });
  };
  const uid = (number: number): string => `00000000-0000-7000-8000-00000000000${number}`;
  await insert("Account", "shop", uid(1), { aws: { agentCredentials: true } });
  await insert("Account", "shop", uid(2), { aws: { roleArn: "arn", accessKeyId: "" } });
  await insert("Account", "lab", uid(3), { aws: { roleArn: "arn", accessKeyId: "AKIA" } });
  await insert("Account", "lab", uid(4), { simulated: true, aws: { agentCredentials: true } });
  await insert("Agent", "system", uid(5), { description: "shared" });
  await insert("Agent", "lab", uid(6), { description: "own" });
  await migrate({ log }, database.connection);
  const text = "select object -> 'spec' as spec from entity where kind = 'Agent' order by uid";
  const { rows } = await pool.query<{ spec: object }>({ text, values: [] });
  expect(rows.map(({ spec }) => spec)).toEqual([
    { description: "shared", identityAccounts: [uid(1), uid(2)] },
    { description: "own" },
  ]);
});
