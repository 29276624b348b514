import type { Database } from "@cloudwright/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { finishTogether } from "./finish-together.ts";
import { finishTask } from "./finish.ts";
import { leaseTasks } from "./lease.ts";
import { renewTasks } from "./renew.ts";
import { createRequest, openTestQueue, type TestQueue } from "./testing/test-queue.ts";

let queue: TestQueue;

beforeAll(async () => {
  queue = await openTestQueue();
});
afterAll(() => queue?.close());

const colliding = ["lease-tasks", "renew-tasks", "finish-tasks", "finish-together"];

/** Opens a database that aborts the first execution of each of these statements, as PostgreSQL does to resolve a deadlock. */
function collideOnce(): { readonly database: Database; readonly aborted: string[] } {
  const aborted: string[] = [];
  const database: Database = {
    query: (statement) => {
      const { name = "" } = statement;
      if (!colliding.includes(name) || aborted.includes(name)) return queue.pool.query(statement);
      aborted.push(name);
      return Promise.reject(Object.assign(new Error("deadlock detected"), { code: "40P01" }));
    },
  };
  return { database, aborted };
}

test("M043 M047 statements that PostgreSQL aborts to resolve a deadlock are repeated: no lease, heartbeat or report is lost", async () => {
  const { database, aborted } = collideOnce();
  await queue.enqueue({}, {});
  const request = createRequest({ lanes: { long: 2, short: 0 } });
  const [first, second] = await leaseTasks(database, request);
  if (first === undefined || second === undefined) throw new Error("two tasks must be leased");
  const renewed = await renewTasks(database, [first, second], 60);
  expect(renewed.map(({ accepted }) => accepted)).toEqual([true, true]);
  const outcome = { state: "done" } as const;
  expect(await finishTask({ database, random: () => 0 }, { ...first, outcome })).toMatchObject({ accepted: true });
  const reported = await finishTogether(database, { ...second, agentUid: request.agentUid, outcome, lines: [] });
  expect(reported).toMatchObject({ accepted: true });
  expect(aborted).toEqual(colliding);
});
