import { expect, test } from "vitest";
import { createLineSplitter } from "./line-splitter.ts";

test("M060 lines are found wherever a stream is split, even inside a character", () => {
  const bytes = Buffer.from("eins\r\nzwölf\n\nende");
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const splitter = createLineSplitter(100);
    const lines = [...splitter.push(bytes.subarray(0, cut)), ...splitter.push(bytes.subarray(cut)), ...splitter.end()];
    expect(lines).toEqual(["eins", "zwölf", "", "ende"]);
  }
});

test("M060 a line that never ends is truncated", () => {
  const splitter = createLineSplitter(10);
  for (let round = 0; round < 100; round += 1) expect(splitter.push(Buffer.alloc(1000, "x"))).toEqual([]);
  expect(splitter.push(Buffer.from("\nnext\n"))).toEqual(["x".repeat(10), "next"]);
});
