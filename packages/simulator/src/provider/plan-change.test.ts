import { expect, test } from "vitest";
import { parseSchema, type CompactBlock } from "../schema/compact-schema.ts";
import { conform } from "../schema/conform.ts";
import { unknown, type ValueMap } from "../values/value.ts";
import type { Block } from "../schema/schema.ts";
import { checkDefinition } from "./check-definition.ts";
import { fillUnknown } from "./fill-unknown.ts";
import { findReplacements } from "./find-replacements.ts";
import { planChange } from "./plan-change.ts";

const schema = parseSchema({
  resources: {
    a_thing: {
      of: {
        id: "c string",
        name: "r string",
        size: "oc number",
        etag: "c string",
        secret: "ow string",
        part: { is: "o single", of: { key: "r string", hash: "c string" } },
        disk: { is: "block list", of: { path: "r string", uuid: "c string" } },
        rule: { is: "block set", of: { port: "r number", id: "c string" } },
      } satisfies CompactBlock,
    },
  },
});
const block = schema.resources["a_thing"]?.block as Block;
const thing = (value: ValueMap): ValueMap => conform(block, value) as ValueMap;

test("computed attributes without a value are unknown before creation, including those in nested attributes and blocks", () => {
  const config = thing({ name: "a", part: { key: "k" }, disk: [{ path: "/" }], rule: [{ port: 1 }] });
  expect(planChange(block, {}, { prior: null, proposed: config, config })).toEqual({
    id: unknown,
    name: "a",
    size: unknown,
    etag: unknown,
    secret: null,
    part: { key: "k", hash: unknown },
    disk: [{ path: "/", uuid: unknown }],
    rule: [{ port: 1, id: unknown }],
  });
});

test("defaults replace missing values at every depth", () => {
  const config = thing({ name: "a", disk: [{ path: "/" }], rule: [{ port: 1, id: "given" }, { port: 2 }] });
  const planned = planChange(
    block,
    { defaults: { size: 5, "disk.uuid": "u", "rule.id": "r" } },
    { prior: null, proposed: config, config },
  );
  expect(planned).toMatchObject({ size: 5, disk: [{ uuid: "u" }], rule: [{ id: "given" }, { id: "r" }] });
});

test("an unchanged resource is planned with its exact prior value, regardless of the order of its sets", () => {
  const prior = thing({
    id: "1",
    name: "a",
    etag: null,
    rule: [
      { port: 1, id: "x" },
      { port: 2, id: "y" },
    ],
  });
  const proposed = {
    ...prior,
    rule: [
      { port: 2, id: "y" },
      { port: 1, id: "x" },
    ],
  };
  expect(planChange(block, { recompute: { etag: "*" } }, { prior, proposed, config: thing({ name: "a" }) })).toBe(prior);
});

test("when a resource changes, only new elements get unknown values", () => {
  const prior = thing({ id: "1", name: "a", disk: [{ path: "/", uuid: null }], rule: [{ port: 1, id: null }] });
  const proposed = {
    ...prior,
    disk: [
      { path: "/", uuid: null },
      { path: "/b", uuid: null },
    ],
    rule: [
      { port: 1, id: null },
      { port: 2, id: null },
    ],
  };
  expect(planChange(block, {}, { prior, proposed, config: thing({ name: "a" }) })).toMatchObject({
    etag: null,
    disk: [{ uuid: null }, { uuid: unknown }],
    rule: [{ id: null }, { id: unknown }],
  });
});

test("a computed value becomes unknown again when an attribute it depends on changes", () => {
  const prior = thing({ id: "1", name: "a", size: 1, etag: "e" });
  const hooks = { recompute: { etag: ["size"] } };
  const plan = (change: ValueMap) =>
    planChange(block, hooks, { prior, proposed: { ...prior, ...change }, config: thing({ name: "a" }) });
  expect(plan({ size: 2 })["etag"]).toBe(unknown);
  expect(plan({ name: "b" })["etag"]).toBe("e");
});

test("a write-only value is never planned", () => {
  const config = thing({ name: "a", secret: "canary" });
  expect(JSON.stringify(planChange(block, {}, { prior: null, proposed: config, config }))).not.toContain("canary");
});

test("a change to a fixed attribute, and only that, requires a replacement", () => {
  const forceNew = ["name", "part.key", "disk.path", "rule.port"];
  const prior = thing({
    name: "a",
    size: 1,
    part: { key: "k" },
    disk: [{ path: "/a" }, { path: "/b" }],
    rule: [{ port: 1, id: "x" }],
  });
  const find = (change: ValueMap) => findReplacements(block, forceNew, prior, thing({ ...prior, ...change }));
  expect(find({ size: 2 })).toEqual([]);
  expect(find({ name: "b", size: 2 })).toEqual([["name"]]);
  expect(find({ name: unknown })).toEqual([["name"]]);
  expect(find({ part: { key: "l" } })).toEqual([["part", "key"]]);
  expect(find({ part: { key: "k", hash: "h" } })).toEqual([]);
  expect(find({ disk: [{ path: "/a" }, { path: "/c" }] })).toEqual([["disk", 1, "path"]]);
  expect(find({ disk: [{ path: "/a" }] })).toEqual([["disk"]]);
  expect(find({ rule: [{ port: 1, id: "y" }] })).toEqual([]);
  expect(find({ rule: [{ port: 2, id: "x" }] })).toEqual([["rule"]]);
});

test("unknown values are filled with computed ones, or else with reproducible generated ones", () => {
  const planned: ValueMap = {
    ...thing({ name: "a", disk: [{ path: "/" }] }),
    id: unknown,
    etag: unknown,
    disk: [{ path: "/", uuid: unknown }],
  };
  const filled = fillUnknown(block.type, planned, { id: "1", name: "not asked for" }, "seed");
  expect(filled).toEqual(fillUnknown(block.type, planned, { id: "1" }, "seed"));
  expect(filled).not.toEqual(fillUnknown(block.type, planned, { id: "1" }, "another seed"));
  expect(filled).toMatchObject({
    id: "1",
    name: "a",
    etag: expect.stringMatching(/^etag-/),
    disk: [{ uuid: expect.stringMatching(/^uuid-/) }],
  });
});

test.each([
  ["hooks for a missing type", { resources: { other: {} } }],
  ["hooks for a missing data source", { dataSources: { other: { read: () => ({}) } } }],
  ["a missing attribute in forceNew", { resources: { a_thing: { forceNew: ["disk.size"] } } }],
  ["a default for an attribute that is not computed", { resources: { a_thing: { defaults: { name: "x" } } } }],
  ["a default for a block", { resources: { a_thing: { defaults: { disk: [] } } } }],
  ["a recomputed attribute that is not computed", { resources: { a_thing: { recompute: { name: "*" as const } } } }],
])("M074 a provider with %s is rejected on registration", (_what, part) => {
  expect(() => checkDefinition({ name: "a", schema, ...part })).toThrow(
    expect.objectContaining({ code: "simulator.bad_schema" }),
  );
});

test("a provider with the legacy type system may have defaults for attributes that are not computed", () => {
  const resources = { a_thing: { defaults: { name: "x" } } };
  expect(() => checkDefinition({ name: "a", schema, resources, legacyTypeSystem: true })).not.toThrow();
});

test("a block that the cloud computes is unknown before creation, then stable, and yields to the user's configuration", () => {
  const hooks = { computedBlocks: ["disk"] };
  const config = thing({ name: "a" });
  const created = planChange(block, hooks, { prior: null, proposed: config, config });
  expect(created["disk"]).toBe(unknown);
  const prior = thing({ id: "1", name: "a", size: 1, etag: "e", disk: [{ path: "/", uuid: "u" }] });
  const proposed = { ...prior, disk: [] };
  expect(planChange(block, hooks, { prior, proposed, config })).toBe(prior);
  const written = thing({ name: "a", disk: [{ path: "/data" }] });
  const next = planChange(block, hooks, { prior, proposed: { ...prior, disk: [{ path: "/data", uuid: "u" }] }, config: written });
  expect(next["disk"]).toEqual([{ path: "/data", uuid: "u" }]);
  for (const wrong of [
    { resources: { a_thing: { computedBlocks: ["none"] } }, legacyTypeSystem: true },
    { resources: { a_thing: hooks } },
  ]) {
    expect(() => checkDefinition({ name: "a", schema, ...wrong })).toThrow(
      expect.objectContaining({ code: "simulator.bad_schema" }),
    );
  }
});
