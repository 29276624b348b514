import { createUid, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createPool, type Pool } from "../pool.ts";
import { createTestDatabase, type TestDatabase } from "../testing/index.ts";
import { prune } from "./prune.ts";

const [past, now, soon] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"] as const;
const [project, entity] = [createUid(0), createUid(1)];

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
  await run("truncate entity, task, task_demand cascade");
  await addEntity(project, "Project", "default");
  await addEntity(entity, "Network", "blue");
  await addState(entity);
  await run("insert into task_demand (id, placement, type, payload_version) values (1, '{}', 'network.plan', 1)");
});

const run = (text: string, ...values: unknown[]): Promise<unknown> => pool.query({ text, values });
const limits = { changes: past, idempotency: past, now };

function addEntity(uid: string, kind: string, name: string, object: object = {}): Promise<unknown> {
  const text = `insert into entity (uid, kind, project, name, labels, resource_version, created_at, updated_at, object)
    values ($1, $2, $3, $4, '{}', 1, now(), now(), $5)`;
  return run(text, uid, kind, kind === "Project" ? "" : "default", name, JSON.stringify(object));
}

function addState(uid: string): Promise<unknown> {
  return run(
    "insert into state (entity_uid, project_uid, kind, name, environment) values ($1, $2, 'Network', 'x', '')",
    uid,
    project,
  );
}

/** Adds a plan. By default it belongs to a new entity with an open operation. */
async function addPlan(given: {
  readonly operation?: string;
  readonly of?: string;
  readonly at?: string;
  readonly expires?: string;
  readonly approved?: boolean;
  readonly needed?: boolean;
  readonly task?: boolean;
}): Promise<string> {
  const [uid, operation] = [createUid(systemClock.now()), createUid(systemClock.now())];
  const {
    operation: state = "RUNNING",
    of = uid,
    at = past,
    expires = soon,
    approved = false,
    needed = true,
    task = true,
  } = given;
  if (of === uid) await addState(uid);
  await addEntity(operation, "Operation", operation, { status: { state } });
  const insert = `insert into task (uid, key, project, entity_uid, operation_uid, account_uid, lane, demand, priority, max_attempts, object, ended)
    values ($1::uuid, $1::uuid::text, 'default', $3, $2, $1::uuid, 'long', 1, 0, 1, '{}', 'done')`;
  if (task) await run(insert, uid, operation, of);
  const text = `insert into plan (uid, entity_uid, serial, lineage, counts, changes, findings, needs_approval, created_at, expires_at, size, sealed, content, approved_at)
    values ($1, $2, 0, '', '{}', '{}', '[]', $3, $4, $5, 1, 'x', 'x', $6)`;
  await run(text, uid, of, needed, at, expires, approved ? past : null);
  return uid;
}

async function readKept(): Promise<Map<string, boolean>> {
  const text = "select uid, content is not null and sealed is not null as kept from plan";
  const { rows } = await pool.query<{ uid: string; kept: boolean }>({ text, values: [] });
  return new Map(rows.map(({ uid, kept }) => [uid, kept]));
}

test("X032 the content of a plan is deleted as soon as it can no longer be applied, and not before", async () => {
  const kept = [
    await addPlan({}),
    await addPlan({ approved: true, expires: past }),
    await addPlan({ needed: false, expires: past }),
    await addPlan({ of: entity, at: "2026-01-01T01:00:00Z" }),
    await addPlan({ operation: "DONE", at: now }),
  ];
  const over = [
    await addPlan({ expires: past }),
    await addPlan({ of: entity }),
    await addPlan({ operation: "FAILED" }),
    await addPlan({ operation: "DONE", approved: true }),
  ];
  await prune(pool, limits);
  const found = await readKept();
  expect(kept.map((uid) => found.get(uid))).toEqual(kept.map(() => true));
  expect(over.map((uid) => found.get(uid))).toEqual(over.map(() => false));
});

test("M077 plans are kept as long as the tasks that created them", async () => {
  const [gone, young, there] = [await addPlan({ task: false }), await addPlan({ task: false, at: now }), await addPlan({})];
  await prune(pool, limits);
  const found = await readKept();
  expect([gone, young, there].map((uid) => found.has(uid))).toEqual([false, true, true]);
});

test("M042 drift reports that ended long ago are deleted, open ones never", async () => {
  const add = (endedAt: string | null): Promise<unknown> =>
    run(
      "insert into drift (uid, entity_uid, task_uid, found_at, items, ended_at, ended_as) values (gen_random_uuid(), $1, $1, $2, '[]', $3, 'gone')",
      entity,
      past,
      endedAt,
    );
  for (const endedAt of [past, soon, null]) await add(endedAt);
  await prune(pool, limits);
  const read = async (): Promise<unknown[]> =>
    (await pool.query<{ ended_at: Date | null }>({ text: "select ended_at from drift order by ended_at", values: [] })).rows.map(
      ({ ended_at: endedAt }) => endedAt,
    );
  expect(await read()).toHaveLength(3);
  await prune(pool, { ...limits, operations: now });
  expect(await read()).toEqual([new Date(soon), null]);
});
