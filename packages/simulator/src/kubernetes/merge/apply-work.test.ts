import { describe, expect, test } from "vitest";
import type { KubeObject } from "../cluster/kube-object.ts";
import { builtInSchemas } from "../schema/built-in-schemas.ts";
import type { Schema, Schemas } from "../schema/schema.ts";
import { trackUpdate } from "./managed-fields.ts";
import { serverSideApply } from "./server-side-apply.ts";

const mapSchema = builtInSchemas.find("io.k8s.api.core.v1.ConfigMap") as Schema;
const map = (keys: number, value: string): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "m" },
    data: Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, value])),
  }) as unknown as KubeObject;
/** Counts how often a schema is looked up. Every visit to a field looks up its schema. */
const counting = (): { schemas: Schemas; visits: () => number } => {
  let visits = 0;
  const resolve = (schema: Schema | undefined): Schema | undefined => (visits++, builtInSchemas.resolve(schema));
  return { schemas: { ...builtInSchemas, resolve }, visits: () => visits };
};

describe("work of field ownership", () => {
  const manager = (name: string) => ({ name, operation: "Apply" as const, nowMs: 0 });

  test("X063 server-side apply visits each field a fixed number of times", () => {
    const visitsFor = (keys: number): number => {
      const { schemas, visits } = counting();
      const first = serverSideApply(schemas, mapSchema, undefined, map(keys, "1"), manager("a"), false);
      const live = { ...first.object, metadata: { ...first.object.metadata, managedFields: first.managedFields } };
      const forced = serverSideApply(schemas, mapSchema, live, map(keys, "2"), manager("b"), true);
      const next = { ...forced.object, metadata: { ...forced.object.metadata, managedFields: forced.managedFields } };
      const fewer = serverSideApply(schemas, mapSchema, next, map(keys / 2, "2"), manager("b"), true);
      expect(Object.keys(fewer.object["data"])).toHaveLength(keys / 2);
      trackUpdate(schemas, mapSchema, next, fewer.object, { ...manager("c"), operation: "Update" });
      return visits();
    };
    expect(visitsFor(4000) / visitsFor(400)).toBeLessThan(12);
  });

  test("X063 a conflict in many fields names a limited number of them", () => {
    const first = serverSideApply(builtInSchemas, mapSchema, undefined, map(4000, "1"), manager("a"), false);
    const live = { ...first.object, metadata: { ...first.object.metadata, managedFields: first.managedFields } };
    let details: { causes?: readonly unknown[] } | undefined;
    try {
      serverSideApply(builtInSchemas, mapSchema, live, map(4000, "2"), manager("b"), false);
    } catch (error) {
      details = (error as { details?: typeof details }).details;
    }
    expect(details?.causes).toHaveLength(100);
  });

  test("X063 an update to a deeply nested value compares its contents once, not once per level", () => {
    const nested = (depth: number, last: number): KubeObject => {
      let value: unknown = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, index === 499 ? last : 0]));
      for (let level = 0; level < depth; level++) value = { a: value };
      return { apiVersion: "x.io/v1", kind: "Deep", metadata: { name: "d" }, spec: value } as unknown as KubeObject;
    };
    const schema: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const visitsFor = (depth: number): number => {
      const { schemas, visits } = counting();
      trackUpdate(schemas, schema, nested(depth, 1), nested(depth, 2), { ...manager("c"), operation: "Update" });
      return visits();
    };
    expect(visitsFor(400) - visitsFor(200)).toBeLessThan(200 * 50);
  });
});
