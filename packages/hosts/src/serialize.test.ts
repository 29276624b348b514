import { expect, test } from "vitest";
import { createSerializer } from "./serialize.ts";

test("calls with the same key run in order and one at a time, even after a failure", async () => {
  const serialize = createSerializer();
  const events: string[] = [];
  const work = (name: string, fails = false) =>
    serialize("key", async () => {
      events.push(`${name} starts`);
      await Promise.resolve();
      events.push(`${name} ends`);
      if (fails) throw new Error(name);
    });
  const [first, second, third] = [work("a"), work("b", true), work("c")];
  await expect(second).rejects.toThrow("b");
  await Promise.all([first, third]);
  expect(events).toEqual(["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]);
});

test("calls with different keys do not wait for each other", async () => {
  const serialize = createSerializer();
  const waiting = serialize("a", () => new Promise<string>((resolve) => void serialize("b", async () => resolve("b ran"))));
  expect(await waiting).toBe("b ran");
});
