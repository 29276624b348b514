import { createRandom, printSeed } from "@cloudwright/platform/testing";
import { expect, test } from "vitest";
import { createCallBudget } from "./call-budget.ts";

const call = { service: "eks", action: "CreateCluster", isMutating: true, attempt: 1 };

test("X021 a budget never allows more calls at the same time than it was given, in random orders with cancelled calls", async () => {
  const random = createRandom(printSeed("call budget")).next;
  const limit = 1 + Math.floor(random() * 5);
  const budget = createCallBudget(limit);
  let [running, most, cancelled] = [0, 0, 0];
  const use = async (): Promise<void> => {
    const controller = new AbortController();
    if (random() < 0.3) setImmediate(() => controller.abort(new Error("cancelled")));
    const end = await budget.take(call, controller.signal);
    running += 1;
    most = Math.max(most, running);
    for (let turns = random() * 5; turns > 0; turns -= 1) await new Promise(setImmediate);
    running -= 1;
    end();
    if (random() < 0.3) end();
  };
  const results = await Promise.allSettled(Array.from({ length: 60 }, use));
  for (const result of results) {
    if (result.status === "fulfilled") continue;
    expect(result.reason).toMatchObject({ message: "cancelled" });
    cancelled += 1;
  }
  expect(most).toBeLessThanOrEqual(limit);
  expect(cancelled).toBeLessThan(60);
  // All slots are free again.
  const ends = await Promise.all(Array.from({ length: limit }, () => budget.take(call, undefined)));
  expect(ends).toHaveLength(limit);
});

test("X021 a call that is cancelled before or during its wait rejects with the signal's reason and takes no place", async () => {
  const budget = createCallBudget(1);
  const end = await budget.take(call, undefined);
  const controller = new AbortController();
  const waiting = budget.take(call, controller.signal);
  const reason = new Error("stop");
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(budget.take(call, controller.signal)).rejects.toBe(reason);
  end();
  (await budget.take(call, undefined))();
});
