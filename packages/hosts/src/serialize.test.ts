import { expect, test } from "vitest";
import { createSerializer } from "./serialize.ts";

test("work with the same key runs in order and one at a time, also after a failure", async () => {
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

test("work with another key does not wait", async () => {
  const serialize = createSerializer();
  const waiting = serialize("a", () => new Promise<string>((resolve) => void serialize("b", async () => resolve("b ran"))));
  expect(await waiting).toBe("b ran");
});
