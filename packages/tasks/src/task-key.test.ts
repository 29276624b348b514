import { expect, test } from "vitest";
import { taskKey } from "./task-key.ts";

test("M048 equal inputs have the same key, regardless of the order of their fields", () => {
  const one = taskKey({ entity: "a", generation: 2, spec: { b: [1, { y: 1, x: 2 }], a: null } });
  const other = taskKey({ spec: { a: null, b: [1, { x: 2, y: 1 }] }, generation: 2, entity: "a" });
  expect(other).toBe(one);
});

test.for([
  { entity: "a", generation: 3 },
  { entity: "b", generation: 2 },
  { entity: "a", generation: "2" },
  { entity: "a", generation: 2, again: 1 },
])("M048 different inputs have different keys: %j", (inputs) => {
  expect(taskKey(inputs)).not.toBe(taskKey({ entity: "a", generation: 2 }));
});

test("M048 the order of a list matters, and a field without a value does not", () => {
  expect(taskKey([1, 2])).not.toBe(taskKey([2, 1]));
  expect(taskKey({ a: 1, b: undefined })).toBe(taskKey({ a: 1 }));
});

test("M048 a field with the name of an Object.prototype property is an ordinary field", () => {
  expect(taskKey(JSON.parse('{"__proto__":{"a":1}}'))).not.toBe(taskKey({}));
});
