import type { JsonObject } from "@cloudwright/contract";
import { expect, test } from "vitest";
import { countKept } from "./count-kept.ts";
import { findOverwritten, listUndone } from "./find-overwritten.ts";
import { indexPlan } from "./index-plan.ts";
import { listKeptPaths } from "./list-kept-paths.ts";
import { createWork } from "./work.ts";

const paths = (count: number, render: (index: number) => string): JsonObject[] =>
  Array.from({ length: count }, (_, index) => ({ path: render(index), before: 1, after: index }));
const update = (address: string, attributes: JsonObject[]): JsonObject => ({ address, action: "update", attributes });

/** Compares a plan's drift with its changes, as for a planning task, and returns the number of steps. */
async function countSteps(
  drift: readonly JsonObject[],
  changes: readonly JsonObject[],
  unfinished: readonly JsonObject[] = [],
): Promise<number> {
  const work = createWork();
  const plan = indexPlan(changes, unfinished, work);
  await findOverwritten(drift, plan);
  for (const found of drift) listKeptPaths(found, plan, listUndone(found, plan));
  const reported = drift.map(({ address }) => ({
    address: address as string,
    resourceType: "aws_eks_cluster",
    action: "update",
    paths: drift.length === 1 ? paths(20_000, (index) => `logs[${index}]`).map(({ path }) => path as string) : ["logs"],
  }));
  await countKept(drift, indexPlan(changes, [], work), reported);
  return work.steps;
}

test("X063 comparing 12,000 drifted resources with 20,000 changes takes a number of steps proportional to their number", async () => {
  const list = (count: number): JsonObject[] =>
    Array.from({ length: count }, (_, index) =>
      update(
        `aws_vpc.n${index}`,
        paths(1, () => "tags"),
      ),
    );
  const steps = await countSteps(list(12_000), list(20_000).toReversed(), list(20_000));
  expect(steps).toBeLessThanOrEqual(2 * (await countSteps(list(6000), list(10_000).toReversed(), list(10_000))));
  expect(steps).toBeLessThan(20 * 52_000);
});

test("X063 comparing one resource with 20,000 attributes takes a number of steps proportional to their number", async () => {
  const drifted = (count: number): JsonObject[] => [
    update(
      "a",
      paths(count, (index) => `logs[${index}]`),
    ),
  ];
  const planned = (count: number): JsonObject[] => [
    update(
      "a",
      paths(count, (index) => `other[${index}]`),
    ),
  ];
  const steps = await countSteps(drifted(20_000), planned(20_000), planned(20_000));
  expect(steps).toBeLessThan(20 * 60_000);
  const half = await countSteps(drifted(10_000), planned(10_000), planned(10_000));
  expect(steps).toBeLessThanOrEqual(2 * half);
});

test("X063 many attributes with the same path and many resources with the same address take no more steps", async () => {
  const same = [
    update(
      "a",
      paths(20_000, () => "logs"),
    ),
  ];
  expect(await countSteps(same, same, same)).toBeLessThan(20 * 60_000);
  const again = (count: number): JsonObject[] =>
    Array.from({ length: count }, () =>
      update(
        "a",
        paths(1, () => "logs"),
      ),
    );
  expect(await countSteps(again(12_000), again(20_000), again(20_000))).toBeLessThan(20 * 52_000);
});

test("X063 a long comparison lets the server handle other requests in between", async () => {
  const work = createWork();
  let turns = 0;
  const count = (): void => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const list = Array.from({ length: 20_000 }, (_, index) =>
    update(
      `a.${index}`,
      paths(2, () => "tags"),
    ),
  );
  await findOverwritten(list, indexPlan(list, [], work));
  clearImmediate(next);
  expect(turns).toBeGreaterThanOrEqual(5);
});

test("X080 an entry that stands for several attributes is external even if an interrupted apply changed it too", async () => {
  const entry = { path: "logs", sensitive: true, unknown: true, members: 600 };
  const plan = indexPlan([update("a", [entry])], [update("a", [entry])], createWork());
  expect(await findOverwritten([update("a", [entry])], plan)).toEqual([{ address: "a", paths: ["logs"], combined: ["logs"] }]);
});
