import { chooseSeed, createRandom } from "@cloudwright/platform/testing";
import { expect, test } from "vitest";
import { createFairQueue } from "./fair-queue.ts";

const limits = { waiting: 50, refuse: (project: string): Error => new Error(`${project} is full`) };
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const seed = chooseSeed();

test(`X063 a job waits for at most one job of each other project, in order of arrival within its own (seed ${seed})`, async () => {
  const { below: draw } = createRandom(seed);
  const queue = createFairQueue(limits);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const add = (project: string, nth: number): Promise<void> =>
    queue.run(project, () => {
      started.push(`${project}${nth}`);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const jobs = [add("first", 0)];
  const greedy = ["a", "b", "c"].map((project) => ({ project, count: 1 + draw(20) }));
  for (const { project, count } of greedy) for (let nth = 0; nth < count; nth += 1) jobs.push(add(project, nth));
  for (let steps = draw(10); steps > 0; steps -= 1) {
    ends.shift()?.();
    await settle();
  }
  const before = started.length;
  jobs.push(add("calm", 0));
  for (; started.length < jobs.length; await settle()) ends.shift()?.();
  ends.shift()?.();
  await Promise.all(jobs);
  expect(started.indexOf("calm0")).toBeLessThanOrEqual(before + greedy.length);
  for (const { project, count } of greedy)
    expect(started.filter((name) => name.startsWith(project) && name.length <= 3 && name !== "calm0")).toEqual(
      Array.from({ length: count }, (_, nth) => `${project}${nth}`),
    );
});

test("X063 a job is refused if its project has too many waiting jobs, and other projects' jobs still wait", async () => {
  const queue = createFairQueue({ ...limits, waiting: 2 });
  const release = Promise.withResolvers<void>();
  const jobs = [0, 1, 2].map(() => queue.run("greedy", () => release.promise));
  await expect(queue.run("greedy", () => release.promise)).rejects.toThrow("greedy is full");
  jobs.push(queue.run("calm", () => release.promise));
  release.resolve();
  await Promise.all(jobs);
  expect(await queue.run("greedy", () => Promise.resolve("served"))).toBe("served");
});

test("X063 a job that fails does not stop the queue", async () => {
  const queue = createFairQueue(limits);
  const failed = queue.run("a", () => Promise.reject(new Error("broken")));
  const next = queue.run("a", () => Promise.resolve("served"));
  await expect(failed).rejects.toThrow("broken");
  expect(await next).toBe("served");
});
