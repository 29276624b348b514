import { expect, test } from "vitest";
import { trimEnd } from "./trim-end.ts";

test.each([
  ["", ""],
  ["===", ""],
  ["abc", "abc"],
  ["abc==", "abc"],
  ["=a=b=", "=a=b"],
])("M007 padding at the end of %o is removed", (text, trimmed) => {
  expect(trimEnd(text, "=")).toBe(trimmed);
});

test("M007 any of several characters is removed at the end", () => {
  expect(trimEnd(`'a.b'."`, `.'"`)).toBe("'a.b");
});

test("X063 a long text that repeats the character elsewhere does not block the process", () => {
  const text = `${"=".repeat(8_000_000)}x`;
  expect(trimEnd(text, "=")).toBe(text);
});
