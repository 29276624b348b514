import { expect, test } from "vitest";
import { reverseOrder, runInOrder, sortInOrder } from "./in-order.ts";

const diamond = [
  { key: "top", after: ["left", "right"] },
  { key: "left", after: ["bottom"] },
  { key: "right", after: ["bottom", "missing"] },
  { key: "bottom", after: [] },
];
const never = new AbortController().signal;

test("M060 steps run after their dependencies, up to the parallelism limit", async () => {
  for (const parallelism of [1, 2, 9]) {
    const finished: string[] = [];
    let running = 0;
    let most = 0;
    await runInOrder(diamond, { parallelism, signal: never }, async ({ key, after }) => {
      expect(finished).toEqual(expect.arrayContaining(after.filter((each) => each !== "missing")));
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      finished.push(key);
    });
    expect(finished).toHaveLength(4);
    expect(most).toBe(Math.min(parallelism, 2));
  }
  expect(sortInOrder(reverseOrder(diamond)).map(({ key }) => key)).toEqual(["top", "left", "right", "bottom"]);
});

test("X031 after a failure or an abort no further step starts, and steps in progress are finished", async () => {
  const controller = new AbortController();
  for (const stop of [() => Promise.reject(new Error("stop")), async () => controller.abort(new Error("stop"))]) {
    const finished: string[] = [];
    const steps = [
      { key: "slow", after: [] },
      { key: "failing", after: [] },
      { key: "next", after: ["slow"] },
    ];
    const run = runInOrder(steps, { parallelism: 2, signal: controller.signal }, async ({ key }) => {
      if (key === "failing") return stop();
      await new Promise(setImmediate);
      finished.push(key);
    });
    await expect(run).rejects.toThrow("stop");
    expect(finished).toEqual(["slow"]);
  }
});

test("M060 cyclic dependencies are rejected before the first step starts", async () => {
  const circle = [
    { key: "a", after: ["b"] },
    { key: "b", after: ["a"] },
  ];
  const run = runInOrder(circle, { parallelism: 1, signal: never }, () => Promise.reject(new Error("started")));
  await expect(run).rejects.toMatchObject({ code: "deployer.bad_stack" });
});
