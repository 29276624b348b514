import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { weighObject } from "./object-weight.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const count = 20_000;
let nth = 0;
const list = (item: () => string): string => `{"list":[${Array.from({ length: count }, item).join(",")}]}`;
const shapes: Readonly<Record<string, () => string>> = {
  "empty objects": () => list(() => "{}"),
  "empty lists": () => list(() => "[]"),
  "fields with unusual names": () => list(() => `{"k${nth++}":{}}`),
  "many fields with unusual names": () => `{"map":{${Array.from({ length: count }, () => `"k${nth++}":{}`).join(",")}}}`,
  "nested lists": () => list(() => "[[[]]]"),
  "short texts": () => list(() => `"${nth++}"`),
  "strings with two bytes per character": () => list(() => `"ĀĀĀĀĀĀĀĀ"`),
};

describe("the memory of objects", () => {
  test.for(Object.entries(shapes))("X063 %s do not occupy more memory than they count for", ([, render]) => {
    const texts = Array.from({ length: 8 }, render);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const objects = texts.map((text) => JSON.parse(text) as object);
    collectGarbage();
    const used = process.memoryUsage().heapUsed - before;
    const counted = objects.reduce((sum, object) => sum + weighObject(object).memory, 0);
    expect(counted).toBeGreaterThan(used * 0.9);
  });

  test("X063 a string counts for its length as JSON", () => {
    expect(weighObject({ text: "x".repeat(1000) }).bytes).toBe(1011);
  });
});
