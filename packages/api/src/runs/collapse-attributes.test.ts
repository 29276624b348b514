import type { JsonObject } from "@cloudwright/contract";
import { expect, test } from "vitest";
import { collapseAttributes, mostAttributes } from "./collapse-attributes.ts";

const attribute = (path: string, rest: JsonObject = {}): JsonObject => ({
  path,
  before: 1,
  after: 2,
  sensitive: false,
  unknown: false,
  computed: false,
  ...rest,
});
const many = (count: number, render: (index: number) => string): JsonObject[] =>
  Array.from({ length: count }, (_, index) => attribute(render(index)));
const entry = (path: string, members: number, rest: JsonObject = {}): JsonObject => ({
  path,
  sensitive: false,
  unknown: false,
  computed: false,
  members,
  ...rest,
});

test("X063 a resource with few changed attributes keeps all of them", () => {
  const attributes = many(mostAttributes, (index) => `logs[${index}]`);
  expect(collapseAttributes(attributes)).toBe(attributes);
});

test("X063 the largest list of a resource with 20,000 changed attributes becomes one entry, and the others stay", () => {
  const attributes = [
    attribute("name"),
    ...many(20_000, (index) => `logs[${index}]`),
    ...many(5, (index) => `tags["a.${index}"]`),
  ];
  expect(collapseAttributes(attributes)).toEqual([attributes[0], entry("logs", 20_000), ...attributes.slice(-5)]);
});

test("X063 parents are collapsed too, until at most the limit is left", () => {
  const nested = many(3000, (index) => `block[${Math.floor(index / 3)}].list[${index % 3}]`);
  expect(collapseAttributes([...nested, attribute("name")])).toEqual([entry("block", 3000), attribute("name")]);
  const repeated = many(mostAttributes + 1, () => "name");
  expect(collapseAttributes(repeated)).toEqual([entry("name", mostAttributes + 1)]);
});

test("X063 an entry is sensitive or unknown if one of its attributes is, and computed if all are", () => {
  const attributes = many(600, (index) => `logs[${index}]`);
  const marked = [
    ...attributes,
    attribute("logs[600]", { sensitive: true, before: null, after: null, unknown: true, computed: true }),
  ];
  expect(collapseAttributes(marked)).toEqual([entry("logs", 601, { sensitive: true, unknown: true })]);
  const computed = attributes.map((each) => ({ ...each, unknown: true, computed: true }));
  expect(collapseAttributes(computed)).toEqual([entry("logs", 600, { unknown: true, computed: true })]);
});

test("X063 a resource with too many top-level attributes has no shorter list", () => {
  expect(collapseAttributes(many(mostAttributes + 1, (index) => `name${index}`))).toBeUndefined();
});
