import { expect, test } from "vitest";
import { createLogBuffer } from "./log-buffer.ts";

const create = (options: { maxLines?: number; maxCharacters?: number; firstSeq?: number } = {}) =>
  createLogBuffer({ nowMs: () => 0, ...options });
const texts = (buffer: ReturnType<typeof create>) => buffer.peek().map(({ seq, line }) => `${seq} ${line}`);

test("M049 lines are kept until they are acknowledged and keep their numbers", () => {
  const buffer = create();
  buffer.add("a\n");
  buffer.add("b");
  expect(texts(buffer)).toEqual(["1 a", "2 b"]);
  expect(texts(buffer)).toEqual(["1 a", "2 b"]);
  buffer.acknowledge(1);
  buffer.add("c");
  expect(texts(buffer)).toEqual(["2 b", "3 c"]);
  buffer.acknowledge(3);
  expect(buffer.isEmpty()).toBe(true);
});

test("M049 a full buffer drops the oldest lines and reports how many", () => {
  const buffer = create({ maxLines: 3 });
  for (let index = 1; index <= 7; index += 1) buffer.add(`line ${index}`);
  expect(texts(buffer)).toEqual([expect.stringMatching(/^4 \.\.\. 4 lines dropped/), "5 line 5", "6 line 6", "7 line 7"]);
  buffer.acknowledge(7);
  buffer.add("again");
  expect(texts(buffer)).toEqual(["8 again"]);
});

test("M049 a buffer also limits its total characters, and a line never exceeds the protocol's limit", () => {
  const buffer = create({ maxCharacters: 20_000 });
  for (let index = 0; index < 4; index += 1) buffer.add("x".repeat(100_000));
  const kept = buffer.peek().filter(({ line }) => line.startsWith("x"));
  expect(kept).toHaveLength(2);
  expect(kept[0]?.line).toHaveLength(8192);
});

test("M049 lines that do not fit into one message wait for the next", () => {
  const buffer = create();
  for (let index = 1; index <= 1200; index += 1) buffer.add("line");
  const sizes: number[] = [];
  while (!buffer.isEmpty()) {
    const lines = buffer.peek();
    sizes.push(lines.length);
    buffer.acknowledge(lines.at(-1)?.seq ?? 0);
  }
  expect(sizes).toEqual([500, 500, 200]);
});

test("M049 characters that the database cannot store are removed", () => {
  const buffer = create({ firstSeq: 1_000_001 });
  buffer.add("a\0b\uD800");
  expect(texts(buffer)).toEqual(["1000001 ab\uFFFD"]);
});
