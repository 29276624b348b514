import { expect, test } from "vitest";
import { countValues } from "./count-values.ts";

const count = (json: string, most = 1000): number => countValues(Buffer.from(json), most);

test("X063 values of a body are counted without parsing it, whatever its strings contain", () => {
  expect([count("1"), count('"a,b"'), count("[1,2,3]"), count('{"a":1,"b":[2]}')]).toEqual([1, 1, 4, 4]);
  expect(count(JSON.stringify({ "k,[{": '\\",[{', "\\": ['"', '\\"', ","] }))).toBe(count('{"a":1,"b":["c","d","e"]}'));
  expect(count(`["${"\\\\".repeat(50)}",2]`)).toBe(3);
  expect(count('["never closed,,,,,,')).toBe(2);
});

test("X063 the count is never lower than the number of values in the body", () => {
  for (const value of [[], {}, [[], [[]]], { a: { b: { c: [1, null, "x"] } } }, Array.from({ length: 50 }, () => ({}))])
    expect(count(JSON.stringify(value))).toBeGreaterThanOrEqual(size(value));
});

test("X063 counting stops once the limit is exceeded", () => {
  expect(count(`[${"{},".repeat(5000)}{}]`, 100)).toBe(101);
});

function size(value: unknown): number {
  return typeof value === "object" && value !== null
    ? Object.values(value).reduce<number>((sum, item) => sum + size(item), 1)
    : 1;
}
