import { createLogger, createUid, systemClock } from "@cloudwright/platform";
import { createPool, createVersions, createWakeSignal, type Pool } from "@cloudwright/store";
import { createTaskSignal } from "@cloudwright/tasks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestPlatform, type TestPlatform } from "../testing/test-platform.ts";
import { startReconciler } from "./reconciler.ts";

let platform: TestPlatform;
let pool: Pool;
const closers: (() => Promise<void>)[] = [];
beforeEach(async () => {
  platform = await openTestPlatform();
  pool = createPool(platform.connection);
  const log = createLogger({ level: "silent", name: "test" });
  const [wakes, taskSignal] = [createWakeSignal({ pool, log }), createTaskSignal({ pool, log })];
  const versions = createVersions(pool);
  const deps = { pool, versions, clock: systemClock, log, wakes, taskSignal, feed: { poke: () => undefined } };
  const reconciler = startReconciler(deps, { rules: platform.rules, workers: 8, pollMs: 20, placementMs: 20 });
  closers.push(
    () => reconciler.close(),
    () => wakes.close(),
    () => taskSignal.close(),
  );
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await pool.close();
  await platform.close();
});

async function countPlaceable(status: string): Promise<number> {
  const text = `select count(*)::int as count from entity e, json_array_elements(e.object -> 'status' -> 'conditions') c
    where c ->> 'type' = 'Placeable' and c ->> 'status' = $1`;
  return (await platform.query<{ count: number }>(text, [status]))[0]?.count ?? 0;
}

/** Backdates tasks, so that they are old enough to be checked for a suitable agent. */
async function age(tasks: number): Promise<void> {
  const text =
    "update task set created_at = created_at - interval '1 hour' where created_at > now() - interval '30 minutes' returning uid";
  let aged = 0;
  await expect.poll(async () => (aged += (await platform.query(text)).length), { timeout: 60_000 }).toBe(tasks);
}

async function connectAgent(): Promise<void> {
  const uid = createUid(systemClock.now());
  await platform.query(
    `insert into entity (uid, kind, project, name, labels, resource_version, created_at, updated_at, object)
      values ($1, 'Agent', 'system', 'late', '{}', 1, now(), now(), '{"metadata":{},"spec":{},"status":{}}')`,
    [uid],
  );
  await platform.query(
    `insert into agent_presence values ($1, now(), '{"cloud":"*","account":"*","region":"*"}', '["*"]', 1, 1, 'test')`,
    [uid],
  );
}

test("M043 every entity whose task no agent can run reports that, until an agent can run it", async () => {
  const many = 40;
  for (let made = 0; made < many; made += 1) await platform.create("Account", `a-${made}`);
  await age(many);
  await expect.poll(() => countPlaceable("False"), { timeout: 60_000 }).toBe(many);
  await connectAgent();
  await expect.poll(() => countPlaceable("True"), { timeout: 60_000 }).toBe(many);
});
