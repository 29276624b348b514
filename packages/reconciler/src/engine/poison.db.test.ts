import { createLogger, systemClock } from "@cloudwright/platform";
import { createPool, createVersions, createWakeSignal, type Pool } from "@cloudwright/store";
import { createTaskSignal } from "@cloudwright/tasks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestPlatform, type TestPlatform } from "../testing/test-platform.ts";
import { startReconciler, type Reconciler } from "./reconciler.ts";

let platform: TestPlatform;
let pool: Pool;
let reconciler: Reconciler | undefined;
const closers: (() => Promise<void>)[] = [];
beforeEach(async () => {
  platform = await openTestPlatform();
  pool = createPool(platform.connection);
});
afterEach(async () => {
  await reconciler?.close();
  for (const close of closers.splice(0)) await close();
  await pool.close();
  await platform.close();
});

function start(workers: number): void {
  const log = createLogger({ level: "silent", name: "test" });
  const [wakes, taskSignal] = [createWakeSignal({ pool, log }), createTaskSignal({ pool, log })];
  closers.push(
    () => wakes.close(),
    () => taskSignal.close(),
  );
  const versions = createVersions(pool);
  const deps = { pool, versions, clock: systemClock, log, wakes, taskSignal, feed: { poke: () => undefined } };
  reconciler = startReconciler(deps, { rules: platform.rules, workers, pollMs: 20, placementMs: 60_000 });
}

test("M050 entities whose passes fail are retried with backoff, and the others continue", async () => {
  const broken: string[] = [];
  for (const name of ["bad-1", "bad-2", "bad-3"]) broken.push(await platform.create("Account", name));
  await platform.query("update entity set object = '{}' where uid = any($1::uuid[])", [broken]);
  const good = await platform.create("Account", "good");
  start(2);
  await expect.poll(() => platform.query("select from task where entity_uid = $1", [good]), { timeout: 60_000 }).toHaveLength(1);
  // A claim postpones the next pass by 15 seconds. A delay of 2 to 12 seconds therefore comes from the backoff.
  const left = `select from due where entity_uid = any($1::uuid[]) and due_at between now() + interval '2 seconds' and now() + interval '12 seconds'`;
  await expect.poll(() => platform.query(left, [broken]), { timeout: 60_000 }).toHaveLength(3);
});
