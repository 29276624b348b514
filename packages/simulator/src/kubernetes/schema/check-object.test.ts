import { expect, test } from "vitest";
import { builtInSchemas, createSchemas } from "./built-in-schemas.ts";
import { checkObject } from "./check-object.ts";
import type { Schema } from "./schema.ts";

const own = createSchemas(() => undefined);

test("M130 unknown fields are dropped and reported, null means absent, and defaults are filled in", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      a: { type: "string", default: "x" },
      b: { type: "object", properties: { c: { type: "integer" } } },
      open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    },
  };
  const { value, unknown } = checkObject(own, schema, { b: { c: 1, d: 2 }, e: 3, a: null, open: { any: [1] } });
  expect(value).toEqual({ a: "x", b: { c: 1 }, open: { any: [1] } });
  expect(unknown).toEqual(["b.d", "e"]);
});

test("M130 each violated rule of a structural schema is reported as a cause with its path", () => {
  const schema: Schema = {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string" },
      size: { type: "integer", minimum: 1, maximum: 9, multipleOf: 2 },
      code: { type: "string", pattern: "^[a-z]+$", maxLength: 3 },
      tags: { type: "array", maxItems: 2, "x-kubernetes-list-type": "set", items: { type: "string" } },
      parts: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        items: { type: "object", properties: { k: { type: "string" } } },
      },
      either: {
        type: "object",
        properties: { x: { type: "integer" }, y: { type: "integer" } },
        oneOf: [{ required: ["x"] }, { required: ["y"] }],
      },
      port: { "x-kubernetes-int-or-string": true },
      colour: { type: "string", enum: ["red"] },
    },
  };
  const fields = (value: object): string[] =>
    checkObject(own, schema, { name: "n", ...value }).causes.map(({ field, reason }) => `${field} ${reason}`);
  expect(checkObject(own, schema, {}).causes).toEqual([
    { field: "name", reason: "FieldValueRequired", message: "Required value" },
  ]);
  expect(fields({ size: 11 })).toEqual(["size FieldValueInvalid", "size FieldValueInvalid"]);
  expect(fields({ code: "ABCD" })).toEqual(["code FieldValueInvalid", "code FieldValueTooLong"]);
  expect(fields({ tags: ["a", "a", "b"] })).toEqual(["tags FieldValueTooMany", "tags[1] FieldValueDuplicate"]);
  expect(fields({ parts: [{ k: "a" }, { k: "a" }] })).toEqual(["parts[1] FieldValueDuplicate"]);
  expect(fields({ either: { x: 1, y: 2 } })).toEqual(["either FieldValueInvalid"]);
  expect(fields({ either: { x: 1 }, port: "http", colour: "red", size: 2 })).toEqual([]);
  expect(fields({ colour: "blue" })).toEqual(["colour FieldValueNotSupported"]);
  expect(checkObject(own, schema, { name: 1, port: true }).mistyped.map(({ field }) => field)).toEqual(["name", "port"]);
});

test("M130 the schemas of built-in kinds accept valid objects and report invalid ones", () => {
  const deployment = builtInSchemas.find("io.k8s.api.apps.v1.Deployment") as Schema;
  const spec = {
    selector: { matchLabels: { a: "b" } },
    template: {
      spec: { containers: [{ name: "c", resources: { limits: { cpu: 1, memory: "1Gi" } }, ports: [{ containerPort: 80 }] }] },
    },
  };
  const { value, unknown, mistyped, causes } = checkObject(builtInSchemas, deployment, { spec });
  expect({ unknown, mistyped, causes }).toEqual({ unknown: [], mistyped: [], causes: [] });
  expect((value as typeof deployment & { spec: any }).spec.template.spec.containers[0].ports).toEqual([
    { containerPort: 80, protocol: "TCP" },
  ]);
  expect(checkObject(builtInSchemas, deployment, { spec: { ...spec, replicas: "1", templat: {} } })).toMatchObject({
    unknown: ["spec.templat"],
    mistyped: [{ field: "spec.replicas" }],
  });
});
