import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findBrokenLines } from "./testing/find-broken-lines.ts";
import { anyStep } from "./testing/model-steps.ts";
import { createQueueModel } from "./testing/queue-model.ts";
import { openTestQueue, type TestQueue } from "./testing/test-queue.ts";

let queue: TestQueue;

beforeAll(async () => {
  queue = await openTestQueue();
});
afterAll(() => queue.close());

test("M043 M046 M047 M052 X063 after any sequence of calls, the queue matches a simple list model", async () => {
  const property = fc.asyncProperty(fc.array(anyStep, { maxLength: 30, size: "max" }), async (steps) => {
    await queue.clear();
    const model = createQueueModel();
    for (const step of steps) {
      await step(queue, model);
      const states = await queue.query("select uid, state, attempt from task_state order by position");
      expect(states).toEqual(model.tasks.map(({ uid, state, attempt }) => ({ uid, state, attempt })));
      expect(await findBrokenLines(queue)).toEqual([]);
    }
  });
  await fc.assert(property, { numRuns: 40, seed: 4 });
}, 120_000);
