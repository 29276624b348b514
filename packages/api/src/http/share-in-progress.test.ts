import { expect, test } from "vitest";
import { shareInProgress } from "./share-in-progress.ts";

test("X071 a flood of readiness checks causes one database query at a time", async () => {
  const runs: PromiseWithResolvers<number>[] = [];
  const check = shareInProgress(() => {
    const run = Promise.withResolvers<number>();
    runs.push(run);
    return run.promise;
  });
  const flood = Array.from({ length: 100 }, check);
  expect(runs).toHaveLength(1);
  runs[0]?.resolve(1);
  expect(new Set(await Promise.all(flood))).toEqual(new Set([1]));
  const failed = check();
  runs[1]?.reject(new Error("lost"));
  await expect(failed).rejects.toThrow("lost");
  void check();
  expect(runs).toHaveLength(3);
});
