import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTask, openTestQueue, type TestQueue } from "./testing/test-queue.ts";

let queue: TestQueue;

beforeAll(async () => {
  queue = await openTestQueue();
});
beforeEach(() => queue.clear());
afterAll(() => queue.close());

const many = (project: string, count: number) => Array.from({ length: count }, () => ({ project }));

function countByProject(tasks: readonly { project: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { project } of tasks) counts[project] = (counts[project] ?? 0) + 1;
  return counts;
}

describe("M050 projects take turns", () => {
  test("so that many tasks of one project do not starve another", async () => {
    await queue.enqueue(...many("big", 2000));
    const [small] = await queue.enqueue({ project: "small" });
    const first = [await queue.leaseOne(), await queue.leaseOne()];
    expect(first.map(({ uid }) => uid)).toContain(small?.uid);
  });

  test("one task at a time", async () => {
    await queue.enqueue(...many("a", 6), ...many("b", 6), ...many("c", 6));
    const order = [];
    for (let nth = 0; nth < 9; nth += 1) order.push((await queue.leaseOne()).project);
    expect(countByProject(order.slice(0, 3).map((project) => ({ project })))).toEqual({ a: 1, b: 1, c: 1 });
    expect(order.slice(3, 6)).toEqual(order.slice(0, 3));
    expect(order.slice(6)).toEqual(order.slice(0, 3));
  });

  test("within one lease for several slots", async () => {
    await queue.enqueue(...many("a", 20), ...many("b", 20), ...many("c", 20));
    expect(countByProject(await queue.lease({ lanes: { long: 9, short: 0 } }))).toEqual({ a: 3, b: 3, c: 3 });
  });

  test("and leave unused capacity to the others", async () => {
    await queue.enqueue(...many("a", 20), ...many("b", 1), ...many("c", 20));
    const counts = countByProject(await queue.lease({ lanes: { long: 12, short: 0 } }));
    expect(counts["b"]).toBe(1);
    expect((counts["a"] ?? 0) + (counts["c"] ?? 0)).toBe(11);
    expect(Math.min(counts["a"] ?? 0, counts["c"] ?? 0)).toBeGreaterThanOrEqual(4);
  });

  test("and skip projects whose tasks the agent cannot take", async () => {
    const [mine] = await queue.enqueue(...many("m", 1));
    await queue.enqueue(...["a", "b", "z"].flatMap((project) => many(project, 3)).map((task) => ({ ...task, type: "other" })));
    for (let nth = 0; nth < 3; nth += 1) {
      const leased = await queue.leaseOne({ types: ["cluster.apply"] });
      expect(leased.uid).toBe(mine?.uid);
      await queue.end(leased, { state: "returned" });
    }
  });

  test("however many of them are at their limit", async () => {
    const projects = ["a", "b", "c", "d", "e"];
    await queue.enqueue(...projects.flatMap((project) => many(project, 2)));
    const request = { lanes: { long: 1, short: 0 }, projectQuota: 1 };
    const leased = [];
    for (let nth = 0; nth < 6; nth += 1) leased.push(...(await queue.lease(request)));
    expect(leased.map(({ project }) => project).toSorted()).toEqual(projects);
  });
});

test("M050 a project with many accounts does not get more turns", async () => {
  const accounts = Array.from({ length: 10 }, () => createTask().uid);
  await queue.enqueue(
    ...accounts.flatMap((accountUid) => many("wide", 2).map((task) => ({ ...task, accountUid }))),
    ...many("narrow", 20),
  );
  expect(countByProject(await queue.lease({ lanes: { long: 10, short: 0 } }))).toEqual({ wide: 5, narrow: 5 });
});
