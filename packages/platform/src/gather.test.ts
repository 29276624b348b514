import { expect, test } from "vitest";
import { gather } from "./gather.ts";

const one = { most: 10, atOnce: 1 };

test("concurrent lookups share a batch, and each gets its own result", async () => {
  const groups: number[][] = [];
  const double = gather(async (numbers: readonly number[]) => {
    groups.push([...numbers]);
    return numbers.map((number) => number * 2);
  }, one);
  expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
  expect(groups).toEqual([[1, 2, 3]]);
});

test("a lookup that arrives while a batch runs waits for the next batch", async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const groups: string[][] = [];
  const ask = gather(async (words: readonly string[]) => {
    groups.push([...words]);
    await gates[groups.length - 1]?.promise;
    return words;
  }, one);
  const first = ask("a");
  await expect.poll(() => groups).toEqual([["a"]]);
  const later = [ask("b"), ask("c")];
  gates[0]?.resolve();
  expect(await first).toBe("a");
  await expect.poll(() => groups).toEqual([["a"], ["b", "c"]]);
  gates[1]?.resolve();
  expect(await Promise.all(later)).toEqual(["b", "c"]);
});

test("a failing lookup does not affect the others", async () => {
  const ask = gather(async (words: readonly string[]) => {
    if (words.includes("bad")) throw new Error("no answer");
    return words;
  }, one);
  const answers = await Promise.allSettled(["a", "bad", "b"].map(ask));
  expect(answers.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await ask("c")).toBe("c");
});

test("no batch exceeds the maximum size", async () => {
  const sizes: number[] = [];
  const ask = gather(
    async (numbers: readonly number[]) => {
      sizes.push(numbers.length);
      return numbers;
    },
    { most: 2, atOnce: 1 },
  );
  await Promise.all([1, 2, 3, 4, 5].map(ask));
  expect(sizes).toEqual([2, 2, 1]);
});
