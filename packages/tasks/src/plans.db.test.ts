import type { Database } from "@cloudwright/store";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { cancelTasks } from "./cancel.ts";
import { enqueueTasks } from "./enqueue.ts";
import { finishTasks } from "./finish.ts";
import { leaseTasks } from "./lease.ts";
import { renewTasks } from "./renew.ts";
import { createRequest, createTask, openTestQueue, type TestQueue } from "./testing/test-queue.ts";

let queue: TestQueue;

beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(() => queue.clear());
afterAll(() => queue.close());

const backlog = 20_000;
const accounts = Array.from({ length: 8 }, () => createTask().uid);

async function fill(): Promise<void> {
  for (let from = 0; from < backlog; from += 2000) {
    const tasks = Array.from({ length: 2000 }, (_, index) =>
      createTask({
        project: `p${index % 4}`,
        accountUid: accounts[index % 8] ?? null,
        placement: { cloud: index % 3 === 0 ? "aws" : "gcp" },
        operationUid: createTask().uid,
      }),
    );
    await enqueueTasks(queue.pool, tasks);
  }
}

const request = createRequest({ lanes: { long: 10, short: 10 }, labels: { cloud: "*" }, projectQuota: 50, accountBudget: 50 });

/** Counts the sequential scans and index reads that `work` causes on the `task` and `task_line` tables. */
async function countReads(database: Database, work: () => Promise<void>): Promise<{ scans: number; rows: number }> {
  const text = `select sum(seq_scan)::integer as scans, sum(coalesce(idx_tup_fetch, 0))::integer as rows
    from pg_stat_xact_user_tables where relname in ('task', 'task_line')`;
  const read = async () =>
    (await database.query<{ scans: number; rows: number }>({ text, values: [] })).rows[0] ?? { scans: Infinity, rows: Infinity };
  const before = await read();
  await work();
  const after = await read();
  return { scans: after.scans - before.scans, rows: after.rows - before.rows };
}

/** Counts the reads that ten tasks cause from enqueue to end. */
async function readOfLife(pool = queue.pool): Promise<{ scans: number; rows: number }> {
  return pool.transaction((database) =>
    countReads(database, async () => {
      await enqueueTasks(database, [createTask({ placement: { cloud: "aws" } })]);
      const leased = await leaseTasks(database, request);
      await renewTasks(database, leased, 60);
      await cancelTasks(database, { uids: leased.slice(0, 5).map(({ uid }) => uid) }, { reason: "test", running: "stop" });
      const operationUids = leased.slice(5).flatMap(({ operationUid }) => operationUid ?? []);
      await cancelTasks(database, { operationUids }, { reason: "test", running: "stop" });
      const ends = leased.map(({ uid, leaseToken }) => ({ uid, leaseToken, outcome: { state: "done" } as const }));
      const finished = await finishTasks({ database, random: () => 0 }, ends);
      expect(finished.filter(({ accepted }) => accepted)).toHaveLength(10);
    }),
  );
}

/** Expects no sequential scans and only a few row reads per task. */
const fewReads = { scans: 0, rows: expect.toSatisfy((rows: number) => rows > 10 && rows < 400) as number };

describe("M050 with a backlog of 20,000 tasks", () => {
  test("every statement uses indexes, with and without statistics", async () => {
    await fill();
    expect(await readOfLife()).toEqual(fewReads);
    await queue.query("analyze task, task_line");
    expect(await readOfLife(queue.openPool())).toEqual(fewReads);
  });

  test("a connection whose plans were made for empty tables uses indexes too", async () => {
    const early = queue.openPool();
    await early.transaction(async (database) => {
      const [task] = [createTask({ placement: { cloud: "aws" } })];
      await enqueueTasks(database, [task]);
      for (let nth = 0; nth < 10; nth += 1) {
        const leased = await leaseTasks(database, request);
        await finishTasks(
          { database, random: () => 0 },
          leased.map(({ uid, leaseToken }) => ({ uid, leaseToken, outcome: { state: "returned" } })),
        );
      }
    });
    await queue.query("analyze task, task_line");
    await fill();
    expect(await readOfLife(early)).toEqual(fewReads);
  });

  test("an account at its budget is skipped without reading its tasks", async () => {
    await fill();
    await queue.query("analyze task, task_line");
    await queue.lease({ ...request, lanes: { long: 1000, short: 0 }, projectQuota: undefined });
    await queue.pool.transaction(async (database) => {
      const { scans, rows } = await countReads(database, async () => {
        expect(await leaseTasks(database, { ...request, projectQuota: undefined })).toEqual([]);
      });
      expect(scans).toBe(0);
      // The query counts the 400 leased tasks. Of the 19,600 waiting tasks, it reads only the first one of each account.
      expect(rows).toBeLessThan(1000);
    });
  });
});
