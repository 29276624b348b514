import { createUid, systemClock } from "@cloudwright/platform";
import { chooseSeed } from "@cloudwright/platform/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createPool, type Pool } from "../pool.ts";
import { createTestDatabase, type TestDatabase } from "../testing/index.ts";
import { prune } from "./prune.ts";

const [past, now, later] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"] as const;
const project = createUid(0);

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
  await run("truncate entity, task, task_line, task_demand cascade");
  await addEntity(project, "Project");
});

async function run<Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> {
  return (await pool.query<Row>({ text, values })).rows;
}

function addEntity(uid: string, kind: string): Promise<unknown> {
  const text = `insert into entity (uid, kind, project, name, labels, resource_version, created_at, updated_at, object)
    values ($1, $2, $3, $4, '{}', 1, now(), now(), '{}')`;
  return run(text, uid, kind, kind === "Project" ? "" : "default", uid);
}

/** Adds a state with one version for each of the given times. Its entity exists only if `exists` is true. */
async function addState(kind: string, times: readonly string[], exists: boolean): Promise<string> {
  const uid = createUid(systemClock.now());
  if (exists) await addEntity(uid, kind);
  const text =
    "insert into state (entity_uid, project_uid, kind, name, environment, version) values ($1, $2, $3, $1::uuid::text, '', $4)";
  await run(text, uid, project, kind, times.length);
  const insert = `insert into state_version (uid, entity_uid, version, serial, lineage, md5, size, resources, created_at, actor)
    select gen_random_uuid(), $1, nth, nth, '', '', 0, 0, at, '' from unnest($2::timestamptz[]) with ordinality as v (at, nth)`;
  await run(insert, uid, times);
  return uid;
}

async function readVersions(uid: string): Promise<number[]> {
  const text = "select version from state_version where entity_uid = $1 order by version";
  return (await run<{ version: number }>(text, uid)).map(({ version }) => version);
}

const limits = { changes: past, idempotency: past, now };

test("X068 state versions are deleted after the retention of their kind, except the newest ten", async () => {
  const seed = chooseSeed();
  const [old, recent] = [3 + (seed % 5), 2 + (seed % 7)];
  const times = [...Array.from({ length: old + 10 }, () => past), ...Array.from({ length: recent }, () => later)];
  const network = await addState("Network", times, true);
  const cluster = await addState("Cluster", times, true);
  const short = await addState("Network", times.slice(0, 10), true);
  await prune(pool, { ...limits, stateVersions: { "*": now, Cluster: null } });
  const last = times.length;
  const kept = Array.from({ length: last }, (_, index) => index + 1);
  expect(await readVersions(network), `seed ${seed}`).toEqual(kept.slice(-Math.max(10, recent)));
  expect(await readVersions(cluster)).toEqual(kept);
  expect(await readVersions(short)).toHaveLength(10);
});

test("X068 the state of a deleted entity is deleted after its retention, which starts with the deletion", async () => {
  const gone = await addState("Network", [past], false);
  const kept = await addState("Cluster", [past], false);
  const living = await addState("Network", [past], true);
  const list = async (): Promise<Set<string>> =>
    new Set((await run<{ uid: string }>("select entity_uid as uid from state")).map(({ uid }) => uid));
  const deletedStates = { "*": now, Cluster: null };
  // The deletion of the entity was only just noticed, although the last version of its state is old.
  await prune(pool, { ...limits, deletedStates });
  expect(await list()).toEqual(new Set([gone, kept, living]));
  await prune(pool, { ...limits, deletedStates: { "*": later, Cluster: null } });
  expect(await list()).toEqual(new Set([kept, living]));
  expect(await readVersions(gone)).toEqual([]);
});

test("X068 the state of a deleted entity stays while one of its tasks is open", async () => {
  const uid = await addState("Network", [past], false);
  await run("insert into task_line (entity_uid) values ($1)", uid);
  await prune(pool, { ...limits, deletedStates: { "*": later } });
  expect(await run("select from state")).toHaveLength(1);
  await run("delete from task_line");
  await prune(pool, { ...limits, deletedStates: { "*": later } });
  expect(await run("select from state")).toHaveLength(0);
});
