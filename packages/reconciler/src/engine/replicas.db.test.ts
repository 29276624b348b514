import { createLogger, systemClock } from "@cloudwright/platform";
import { createPool, createVersions, createWakeSignal, type Connection } from "@cloudwright/store";
import { createTaskSignal } from "@cloudwright/tasks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openTestPlatform, type TestPlatform } from "../testing/test-platform.ts";
import { startReconciler, type Reconciler } from "./reconciler.ts";

let platform: TestPlatform;
const closers: (() => Promise<void>)[] = [];
beforeEach(async () => {
  platform = await openTestPlatform();
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  await platform.close();
});

/** Starts a reconciler with its own connections and signals, as in a separate process. */
function startReplica(connection: Connection): Reconciler {
  const log = createLogger({ level: "silent", name: "test" });
  const pool = createPool(connection);
  const wakes = createWakeSignal({ pool, log });
  const taskSignal = createTaskSignal({ pool, log });
  const deps = {
    pool,
    log,
    wakes,
    taskSignal,
    clock: systemClock,
    versions: createVersions(pool),
    feed: { poke: () => undefined },
  };
  const options = { rules: platform.rules, workers: 4, pollMs: 50, placementMs: 1000 };
  const reconciler = startReconciler(deps, options);
  closers.push(
    () => pool.close(),
    () => wakes.close(),
    () => taskSignal.close(),
    () => reconciler.close(),
  );
  return reconciler;
}

describe("M051 several reconcilers on one database", () => {
  test("share the work: each task is enqueued once, and every entity becomes RUNNING", async () => {
    for (let replica = 0; replica < 3; replica += 1) startReplica(platform.connection);
    const trees = Array.from({ length: 12 }, (_, index) => index);
    await Promise.all(
      trees.map(async (index) => {
        const account = await platform.create("Account", `account-${index}`);
        const network = await platform.create("Network", `network-${index}`, { parent: account });
        await platform.create("Cluster", `cluster-${index}`, { parent: network });
      }),
    );
    await expect
      .poll(
        async () => {
          await platform.work();
          const rows = await platform.query(
            "select from entity where object -> 'status' ->> 'phase' = 'RUNNING' and kind <> 'Project'",
          );
          return rows.length;
        },
        { timeout: 100_000 },
      )
      .toBe(trees.length * 3);
    const counts = await platform.query<{ count: string }>("select count(*) from task group by entity_uid, object ->> 'type'");
    expect(new Set(counts.map(({ count }) => count))).toEqual(new Set(["1"]));
    expect(
      await platform.query("select from entity where kind = 'Operation' and object -> 'status' ->> 'state' <> 'DONE'"),
    ).toEqual([]);
  });

  test("X020 take over the entities that a killed reconciler had claimed", async () => {
    const account = await platform.create("Account", "acme");
    // Simulates a reconciler that died right after it claimed the entity.
    await platform.query("update due set due_at = clock_timestamp() + interval '300 milliseconds'");
    startReplica(platform.connection);
    await expect.poll(async () => (await platform.work()).length).toBe(1);
    await expect.poll(async () => (await platform.get(account)).status["phase"]).toBe("RUNNING");
  });
});
