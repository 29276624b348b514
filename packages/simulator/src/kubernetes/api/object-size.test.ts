import { expect, test } from "vitest";
import type { KubeObject } from "../cluster/kube-object.ts";
import { requireFewFields, requireFewValues } from "./object-size.ts";
import { parseBody } from "./patch.ts";
import { readRepresentation } from "./representation.ts";

const bodyOf = (text: string, type: string): Parameters<typeof parseBody>[0] => ({
  body: Buffer.from(text),
  headers: { "content-type": type },
});
const keys = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, ""]));

test("X063 an object with too many fields or list items is refused, however they are nested", () => {
  const tooMany = /at most 50000 fields/;
  expect(() => requireFewFields({ data: keys(49_000) })).not.toThrow();
  expect(() => requireFewFields({ data: keys(50_000) })).toThrow(tooMany);
  expect(() => requireFewFields({ items: Array.from({ length: 300 }, () => Array.from({ length: 300 }, () => 1)) })).toThrow(
    tooMany,
  );
  expect(() => parseBody(bodyOf(JSON.stringify({ data: keys(60_000) }), "application/json"))).toThrow(tooMany);
});

test("X063 an object that is nested too deeply is refused", () => {
  const nest = (levels: number): string => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  expect(() => parseBody(bodyOf(nest(400), "application/json"))).not.toThrow();
  for (const levels of [600, 100_000])
    expect(() => parseBody(bodyOf(nest(levels), "application/json"))).toThrow(/at most 500 levels/);
});

test("X063 long YAML is refused, and JSON of the same length is accepted", () => {
  const text = JSON.stringify({ data: { text: "x".repeat(100_000) } });
  expect(parseBody(bodyOf(text, "application/apply-patch+yaml"))).toEqual(JSON.parse(text));
  const yaml = bodyOf(`data:\n  text: ${"x".repeat(100_000)}`, "application/apply-patch+yaml");
  expect(() => parseBody(yaml)).toThrow(/send larger objects as JSON/);
  expect(parseBody(bodyOf("data:\n  text: short", "application/apply-patch+yaml"))).toEqual({ data: { text: "short" } });
});

test("X063 a change is rendered once for all watchers", () => {
  let rendered = 0;
  const counted = { toJSON: () => (rendered += 1) };
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", uid: "u" },
    data: counted,
  } as unknown as KubeObject;
  const kind = { group: "", version: "v1", kind: "ConfigMap", resource: "configmaps" };
  const call = { headers: { accept: "application/json" }, kind } as unknown as Parameters<typeof readRepresentation>[0];
  const lines = [readRepresentation(call), readRepresentation(call)].map((representation) => representation.next(object));
  expect(lines[0]).toContain('"kind":"ConfigMap"');
  expect(lines[1]).toBe(lines[0]);
  expect(rendered).toBe(1);
});

test("X063 JSON with too many values is refused before it is parsed, and characters inside strings do not count", () => {
  const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
  expect(() => requireFewValues(json(Array.from({ length: 150_000 }, () => 1)))).toThrow(expect.objectContaining({ code: 413 }));
  expect(() => requireFewValues(json(Array.from({ length: 60_000 }, () => ({}))))).toThrow(
    expect.objectContaining({ code: 413 }),
  );
  expect(() => requireFewValues(json(Array.from({ length: 49_000 }, () => ({}))))).not.toThrow();
  expect(() => requireFewValues(json({ text: '\\",{['.repeat(100_000) }))).not.toThrow();
});
