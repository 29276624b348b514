import { createUid, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createPool, type Pool } from "../pool.ts";
import { createTestDatabase, type TestDatabase } from "../testing/index.ts";
import type { Trace } from "../trace.ts";
import { findEntity, type EntityRow } from "./find-entity.ts";
import { insertEntity, type EntityInsert } from "./insert-entity.ts";
import { removeEntities } from "./remove-entities.ts";
import { updateEntity } from "./update-entity.ts";

const at = "2026-01-01T00:00:00.000Z";
const stale = { resource_version: "999" };

let database: TestDatabase;
let pool: Pool;
let version = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connection);
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});
beforeEach(async () => {
  await pool.query({ text: "truncate entity, change, event, audit cascade", values: [] });
});

function nextVersion(): string {
  version += 1;
  return String(version);
}

/** Returns a trace with one change, one event and one audit record, like the trace of every write. */
function traceOf(uid: string, name: string): Trace {
  const facts = { project: "default", kind: "Account", at };
  const place = { parentUid: null, environment: "", labels: {}, oldLabels: null, object: "{}" };
  const said = { type: "Normal", reason: "Made", message: "", actor: "ada" } as const;
  const done = { actor: "ada", credential: "", verb: "create", outcome: "allowed", code: "", source: "", requestId: "" } as const;
  return {
    changes: [{ ...facts, ...place, seq: nextVersion(), type: "ADDED", uid }],
    events: [{ ...facts, ...said, uid: createUid(systemClock.now()), name, entityUid: uid }],
    audits: [{ ...facts, ...done, uid: createUid(systemClock.now()), name, entityUid: uid }],
  };
}

async function insert(name: string, more: Partial<EntityInsert> = {}): Promise<EntityRow> {
  const uid = createUid(systemClock.now());
  const none = { namingScope: "", parentUid: null, subjectUid: null, environmentUid: null, environment: "", sealed: null };
  const row = { uid, kind: "Account", project: "default", name, labels: {}, resourceVersion: nextVersion(), at, object: "{}" };
  await insertEntity(pool, { ...none, ...row, ...more }, traceOf(uid, name));
  const found = await findEntity(pool, { kind: "Account", project: "default", namingScope: more.namingScope ?? "", ref: name });
  if (found === undefined) throw new Error("it was written");
  return found;
}

async function update(row: Pick<EntityRow, "uid" | "resource_version">): Promise<boolean> {
  const next = { environmentUid: null, environment: "", labels: {}, object: '{"changed":true}', sealed: null, deletedAt: null };
  const change = { ...next, uid: row.uid, oldVersion: row.resource_version, resourceVersion: nextVersion(), at };
  return updateEntity(pool, change, traceOf(row.uid, "changed"));
}

/** Counts the rows in the entity table and in each table to which a write adds a record. */
async function count(): Promise<number[]> {
  const tables = ["entity", "change", "event", "audit"].map((table) => `(select count(*)::int from ${table}) as ${table}`);
  const { rows } = await pool.query<Record<string, number>>({ text: `select ${tables.join(", ")}`, values: [] });
  return Object.values(rows[0] ?? {});
}

describe("M025 an entity", () => {
  test("is written together with its change, its event and its audit record", async () => {
    const row = await insert("a");
    expect(await count()).toEqual([1, 1, 1, 1]);
    expect(await update(row)).toBe(true);
    expect(await count()).toEqual([1, 2, 2, 2]);
    const [current] = [await findEntity(pool, { kind: "Account", project: "default", namingScope: "", ref: row.uid })];
    expect(await removeEntities(pool, current === undefined ? [] : [current], traceOf(row.uid, "a"))).toBe(true);
    expect(await count()).toEqual([0, 3, 3, 3]);
  });

  test("that changed since it was read is neither updated nor removed, and the attempt leaves nothing behind", async () => {
    const row = await insert("a");
    expect(await update({ ...row, ...stale })).toBe(false);
    expect(await removeEntities(pool, [{ ...row, ...stale }], traceOf(row.uid, "a"))).toBe(false);
    expect(await count()).toEqual([1, 1, 1, 1]);
  });

  test("is removed together with the others of its batch or not at all", async () => {
    const rows = [await insert("a"), await insert("b"), await insert("c")];
    const [first, second, third] = rows as [EntityRow, EntityRow, EntityRow];
    expect(await removeEntities(pool, [first, second, { ...third, ...stale }], traceOf(first.uid, "a"))).toBe(false);
    expect(await count()).toEqual([3, 3, 3, 3]);
    expect(await removeEntities(pool, rows, traceOf(first.uid, "a"))).toBe(true);
  });

  test("has a unique name within project, kind and naming scope", async () => {
    await insert("a");
    await expect(insert("a")).rejects.toMatchObject({ code: "store.exists" });
    expect(await count()).toEqual([1, 1, 1, 1]);
    await insert("a", { namingScope: createUid(systemClock.now()) });
    expect((await count())[0]).toBe(2);
  });
});

describe("M024 a parent", () => {
  test("that does not exist or is being deleted cannot get a child", async () => {
    await expect(insert("child", { parentUid: createUid(systemClock.now()) })).rejects.toMatchObject({
      code: "store.parent_gone",
    });
    const parent = await insert("parent");
    await pool.query({ text: "update entity set deleted_at = now() where uid = $1", values: [parent.uid] });
    await expect(insert("child", { parentUid: parent.uid })).rejects.toMatchObject({ code: "store.parent_gone" });
    expect(await count()).toEqual([1, 1, 1, 1]);
  });

  test("whose deletion is requested concurrently cannot get a child", async () => {
    const parent = await insert("parent");
    const attempt = await pool.transaction(async (open) => {
      await open.query({ text: "update entity set deleted_at = now() where uid = $1", values: [parent.uid] });
      const insertion = insert("child", { parentUid: parent.uid }).catch((error: unknown) => error);
      const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      await expect.poll(async () => (await pool.query({ text: waiting, values: [] })).rows).not.toEqual([]);
      return { insertion };
    });
    expect(await attempt.insertion).toMatchObject({ code: "store.parent_gone" });
  });

  test("with a child is not removed alone", async () => {
    const parent = await insert("parent");
    await insert("child", { parentUid: parent.uid });
    expect(await removeEntities(pool, [parent], traceOf(parent.uid, "parent"))).toBe(false);
    expect((await count())[0]).toBe(2);
  });

  test("that is an environment with a member is not removed either", async () => {
    const environment = await insert("staging");
    await insert("member", { environmentUid: environment.uid, environment: "staging" });
    expect(await removeEntities(pool, [environment], traceOf(environment.uid, "staging"))).toBe(false);
    expect((await count())[0]).toBe(2);
  });
});
