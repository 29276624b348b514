import { describe, expect, test } from "vitest";
import type { KubeObject } from "../cluster/kube-object.ts";
import { parseQuantity } from "../controllers/quantity.ts";
import { checkRules } from "../kinds/check-rules.ts";
import { valueAt } from "../tables/render-table.ts";
import { builtInSchemas } from "./built-in-schemas.ts";
import { checkObject } from "./check-object.ts";
import type { Schema } from "./schema.ts";

const check = (schema: Schema, value: unknown) => checkObject(builtInSchemas, schema, value);
/** Returns a schema and a function that returns how often its `type` was read. */
const counted = (): { schema: Schema; reads: () => number } => {
  let reads = 0;
  const schema = Object.defineProperty({}, "type", { get: () => (reads++, "integer"), enumerable: true }) as Schema;
  return { schema, reads: () => reads };
};

describe("limits of validation", () => {
  test("X063 a pattern that makes backtracking exponential is evaluated in linear time", () => {
    const schema: Schema = { type: "string", pattern: "^(a+)+$" };
    expect(check(schema, `${"a".repeat(100_000)}!`).causes).toHaveLength(1);
    expect(check(schema, "a".repeat(1000)).causes).toHaveLength(0);
  });

  test("X063 each part of oneOf is evaluated once, so nested schemas do not double the work with each level", () => {
    const readsAt = (depth: number): number => {
      const { schema, reads } = counted();
      let nested = schema;
      for (let level = 0; level < depth; level++) nested = { type: "string", oneOf: [nested] };
      expect(check(nested, "x").causes.length).toBeGreaterThan(0);
      return reads();
    };
    expect(readsAt(18)).toBe(readsAt(2));
  });

  test("X063 an object that is too expensive to validate is rejected", () => {
    const part: Schema = { type: "array", items: { type: "integer" } };
    const schema: Schema = { type: "array", items: { allOf: Array.from({ length: 1000 }, () => part) } };
    const value = Array.from({ length: 100 }, () => Array.from({ length: 1000 }, () => 1));
    expect(() => check(schema, value)).toThrow(expect.objectContaining({ code: 422 }));
    expect(check(schema, [value[0]?.slice(0, 500)]).causes).toHaveLength(0);
    const choices: Schema = {
      type: "array",
      items: { enum: Array.from({ length: 100_000 }, (_, index) => `v${index}`), type: "string" },
    };
    expect(() =>
      check(
        choices,
        Array.from({ length: 100_000 }, () => "x"),
      ),
    ).toThrow(expect.objectContaining({ code: 422 }));
  });

  test("X063 default values cannot multiply the size of an object", () => {
    const schema: Schema = {
      type: "array",
      items: { type: "object", properties: { text: { type: "string", default: "x".repeat(100_000) } } },
    };
    expect(() =>
      check(
        schema,
        Array.from({ length: 10_000 }, () => ({})),
      ),
    ).toThrow(expect.objectContaining({ code: 413 }));
    expect(check(schema, [{}]).value).toEqual([{ text: "x".repeat(100_000) }]);
  });

  test("X063 the number of reported problems is limited", () => {
    const { causes, unknown } = check(
      { type: "object", properties: { list: { type: "array", items: { type: "string", enum: ["a"] } } } },
      {
        list: Array.from({ length: 5000 }, () => "b"),
        ...Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`f${at}`, 1])),
      },
    );
    expect([causes.length, unknown.length]).toEqual([100, 100]);
  });

  test("X063 a definition with a pattern that cannot be evaluated, a reference or too many columns is rejected", () => {
    const definition = (spec: Schema, extra: object = {}): KubeObject =>
      ({
        metadata: { name: "evils.x.io" },
        spec: {
          group: "x.io",
          scope: "Namespaced",
          names: { plural: "evils", kind: "Evil" },
          versions: [
            { name: "v1", storage: true, schema: { openAPIV3Schema: { type: "object", properties: { spec } } }, ...extra },
          ],
        },
      }) as unknown as KubeObject;
    const fieldsOf = (object: KubeObject): string[] =>
      checkRules("customresourcedefinitions", object, undefined).map(({ field }) => field);
    const at = "spec.versions[0].schema.openAPIV3Schema.properties[spec]";
    expect(fieldsOf(definition({ type: "string", pattern: "^(a+)+$" }))).toEqual([]);
    expect(fieldsOf(definition({ type: "string", pattern: "(?=a)" }))).toEqual([`${at}.pattern`]);
    expect(fieldsOf(definition({ anyOf: [{ items: { pattern: "(a)\\1" } }] }))).toEqual([`${at}.anyOf[0].items.pattern`]);
    expect(fieldsOf(definition({ $ref: "io.x.v1.Evil" }))).toEqual([`${at}.$ref`]);
    const columns = Array.from({ length: 101 }, () => ({ name: "c", type: "string", jsonPath: ".spec" }));
    expect(fieldsOf(definition({}, { additionalPrinterColumns: columns }))).toEqual([
      "spec.versions[0].additionalPrinterColumns",
    ]);
    const long = [{ name: "c", type: "string", jsonPath: "[".repeat(2000) }];
    expect(fieldsOf(definition({}, { additionalPrinterColumns: long }))).toEqual([
      "spec.versions[0].additionalPrinterColumns[0].jsonPath",
    ]);
  });

  test("X063 a quantity of any length is parsed without backtracking", () => {
    expect(parseQuantity(`${"e".repeat(1_000_000)}!`)).toBe(0);
    expect(parseQuantity("1.5Gi")).toBe(1.5 * 1024 ** 3);
    expect(parseQuantity("1constructor")).toBe(0);
    expect(["2", "1e3", "500m", "1e3Ki", "5k", "m", "e", "E"].map(parseQuantity)).toEqual([
      2, 1000, 0.5, 1_024_000, 5000, 0, 0, 0,
    ]);
  });

  test("X063 a JSON path of any length is split without backtracking, and one with an unclosed bracket has no value", () => {
    const object = { spec: { list: { "a[b": 1 } } };
    expect(valueAt(object, '.spec.list["a[b"]')).toBe(1);
    expect(valueAt(object, ".spec[list")).toBeUndefined();
    expect(valueAt(object, "[".repeat(1_000_000))).toBeUndefined();
  });

  test("X063 an error lists only some values of a long enumeration", () => {
    const values = Array.from({ length: 1000 }, (_, index) => `v${index}`);
    const { causes } = check({ type: "string", enum: values }, "other");
    expect(causes[0]?.message).toMatch(/"v49", and 950 more$/);
  });
});
