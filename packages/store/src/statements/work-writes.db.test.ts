import { createUid, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createPool, type Pool } from "../pool.ts";
import { createTestDatabase, type TestDatabase } from "../testing/index.ts";
import { tryTransaction } from "../try-transaction.ts";
import type { Work } from "../work.ts";
import { hasOtherChildren } from "./has-other-children.ts";
import { insertEntity } from "./insert-entity.ts";
import { listOpenOperations } from "./list-open-operations.ts";
import { updateEntitiesIn } from "./update-entities.ts";
import { updateEntity } from "./update-entity.ts";
import { wakeEntities, wakeKinds } from "./wake-entities.ts";

const at = "2026-01-01T00:00:00.000Z";
const silence = { changes: [], events: [], audits: [] };
const unset = { namingScope: "", subjectUid: null, environmentUid: null, environment: "", labels: {}, sealed: null };

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
  await pool.query({ text: "truncate entity, due cascade", values: [] });
});

function nextVersion(): string {
  version += 1;
  return String(version);
}

interface Made {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Inserts an entity. By default, its work includes an operation. */
async function insert(
  name: string,
  options: { project?: string; kind?: string; parentUid?: string; plain?: boolean } = {},
): Promise<Made> {
  const { project = "default", kind = "Account", parentUid = null, plain = false } = options;
  const uid = createUid(systemClock.now());
  const resourceVersion = nextVersion();
  const row = { ...unset, uid, kind, project, name, parentUid, resourceVersion, at, object: "{}" };
  await insertEntity(pool, row, silence, plain ? undefined : workOn(uid));
  return { uid, resourceVersion };
}

function workOn(entityUid: string): Work {
  const uid = createUid(systemClock.now());
  const object = JSON.stringify({ spec: { entityUid }, status: { state: "WAITING" } });
  const operation = { uid, project: "default", name: `op-${uid}`, environment: "", resourceVersion: nextVersion(), at, object };
  return { operations: [operation], wakes: [entityUid] };
}

function renderUpdate({ uid, resourceVersion }: Made) {
  return { uid, oldVersion: resourceVersion, resourceVersion: nextVersion(), at, deletedAt: at, object: '{"changed":true}' };
}

async function read<Row extends object>(text: string): Promise<Row[]> {
  return (await pool.query({ text, values: [] })).rows as Row[];
}

const countWork = () =>
  read(
    "select (select count(*)::int from entity where kind = 'Operation') as operations, (select coalesce(sum(wakes), 0)::int from due) as wakes",
  );

describe("M040 the work that a change requests", () => {
  test("is written with the change: an operation in its project, and a wake", async () => {
    const project = await insert("default", { project: "", kind: "Project", plain: true });
    const { uid } = await insert("a");
    expect(await countWork()).toEqual([{ operations: 1, wakes: 1 }]);
    expect(await listOpenOperations(pool, [uid])).toMatchObject([
      { kind: "Operation", project: "default", parent_uid: project.uid },
    ]);
    expect(await read("select entity_uid, due_at <= now() as now from due")).toEqual([{ entity_uid: uid, now: true }]);
  });

  test("is not written if the change fails: name in use, stale version, missing parent", async () => {
    const made = await insert("a");
    await pool.query({ text: "truncate due", values: [] });
    await expect(insert("a")).rejects.toMatchObject({ code: "store.exists" });
    await expect(insert("b", { parentUid: createUid(systemClock.now()) })).rejects.toMatchObject({ code: "store.parent_gone" });
    const stale = {
      ...renderUpdate(made),
      oldVersion: "999999",
      environmentUid: null,
      environment: "",
      labels: {},
      sealed: null,
    };
    expect(await updateEntity(pool, stale, silence, workOn(made.uid))).toBe(false);
    expect(await countWork()).toEqual([{ operations: 1, wakes: 0 }]);
  });

  test("is rolled back with its transaction", async () => {
    const made = await insert("a");
    const change = { ...renderUpdate(made), environmentUid: null, environment: "", labels: {}, sealed: null };
    const undone = await tryTransaction(pool, async (open) => {
      expect(await updateEntity(open, change, silence, workOn(made.uid))).toBe(true);
      return undefined;
    });
    expect(undone).toBeUndefined();
    expect(await countWork()).toEqual([{ operations: 1, wakes: 1 }]);
  });

  test("adds to the existing reasons and never delays them", async () => {
    const { uid } = await insert("a");
    await pool.query({ text: "update due set due_at = '2020-01-01T00:00:00Z'", values: [] });
    await wakeEntities(pool, [uid, uid]);
    expect(await read("select wakes::int, extract(year from due_at)::int as year from due")).toEqual([{ wakes: 2, year: 2020 }]);
  });
});

describe("X012 waking many entities", () => {
  test("reaches the given kinds, in one project or in all", async () => {
    const [here, there] = [await insert("a"), await insert("a", { project: "other" })];
    await insert("b", { kind: "Agent" });
    for (const [project, expected] of [
      ["default", [here.uid]],
      [undefined, [here.uid, there.uid].toSorted()],
    ] as const) {
      await pool.query({ text: "truncate due", values: [] });
      await wakeKinds(pool, project, ["Account"]);
      expect(await read("select entity_uid as uid from due order by 1")).toEqual(expected.map((uid) => ({ uid })));
    }
  });
});

describe("M024 several entities", () => {
  test("are changed together or not at all", async () => {
    const [a, b] = [await insert("a", { plain: true }), await insert("b", { plain: true })];
    const write = (updates: readonly Made[]) =>
      tryTransaction(pool, async (open) => {
        const work = { operations: [], wakes: updates.map(({ uid }) => uid) };
        return (await updateEntitiesIn(open, updates.map(renderUpdate), silence, work)) || undefined;
      });
    expect(await write([a, { ...b, resourceVersion: "999999" }])).toBeUndefined();
    expect(await read("select from entity where deleted_at is not null")).toEqual([]);
    expect(await countWork()).toEqual([{ operations: 0, wakes: 0 }]);
    expect(await write([a, b])).toBe(true);
    expect(await read("select object::text as object from entity where deleted_at is not null")).toEqual([
      { object: '{"changed":true}' },
      { object: '{"changed":true}' },
    ]);
    expect(await countWork()).toEqual([{ operations: 0, wakes: 2 }]);
  });

  test("have other children if an entity below them is not one of them and is not being deleted", async () => {
    const parent = await insert("parent", { plain: true });
    const child = await insert("child", { plain: true, parentUid: parent.uid });
    expect(await hasOtherChildren(pool, [parent.uid])).toBe(true);
    expect(await hasOtherChildren(pool, [parent.uid, child.uid])).toBe(false);
    await pool.query({ text: "update entity set deleted_at = now() where uid = $1", values: [child.uid] });
    expect(await hasOtherChildren(pool, [parent.uid])).toBe(false);
  });
});
