import { chooseSeed, createRandom } from "@cloudwright/platform/testing";
import { describe, expect, test } from "vitest";
import { parseBody } from "../api/patch.ts";
import type { KubeObject } from "../cluster/kube-object.ts";
import { findField, setField } from "../cluster/own-fields.ts";
import { builtInSchemas } from "../schema/built-in-schemas.ts";
import { checkObject } from "../schema/check-object.ts";
import type { Schema } from "../schema/schema.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { trackUpdate } from "./managed-fields.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { serverSideApply } from "./server-side-apply.ts";
import { applyStrategicPatch } from "./strategic-merge.ts";

const mapSchema = builtInSchemas.find("io.k8s.api.core.v1.ConfigMap") as Schema;
const inherited = Object.getOwnPropertyNames(Object.prototype);
const snapshot = (): unknown =>
  [Object.prototype, Array.prototype, Function.prototype].map((prototype) => Object.getOwnPropertyNames(prototype).toSorted());

const isPolluted = (): boolean => {
  for (const _ in {}) return true;
  return ({} as Record<string, unknown>)["resources"] !== undefined;
};
const codeOf = (work: () => unknown): number | undefined => {
  try {
    work();
    return 200;
  } catch (error) {
    return (error as { code?: number }).code;
  }
};

describe("field names that clients choose", () => {
  const seed = chooseSeed();
  const { below: random, pick } = createRandom(seed);

  test("X063 a JSON patch cannot reach a prototype, whatever its paths are", () => {
    const before = snapshot();
    const steps = [...inherited, "prototype", "a", "data", "length", "0", "-", "resources"];
    for (let round = 0; round < 3000; round++) {
      const path = (): string => Array.from({ length: 1 + random(4) }, () => `/${pick(steps)}`).join("");
      const patch = Array.from({ length: 1 + random(3) }, () => ({
        op: pick(["add", "remove", "replace", "move", "copy", "test"]),
        path: path(),
        from: path(),
        value: pick<unknown>([["*"], { polluted: true }, "x"]),
      }));
      const attempt = `seed ${seed}: ${JSON.stringify(patch)}`;
      expect({ attempt, code: codeOf(() => applyJsonPatch({ data: { a: "1" }, a: [{}, []] }, patch)) }).toEqual({
        attempt,
        code: expect.toBeOneOf([200, 400, 422]),
      });
      expect({ attempt, polluted: isPolluted() }).toEqual({ attempt, polluted: false });
    }
    expect(snapshot()).toEqual(before);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    for (const path of ["/__proto__/resources", "/data/__proto__", "/__proto__"])
      expect(() => applyJsonPatch({ data: {} }, [{ op: "add", path, value: ["*"] }])).toThrow(
        expect.objectContaining({ code: 400 }),
      );
  });

  test("X063 a body with a reserved field name is rejected in every format, even if it is escaped", () => {
    const parse = (text: string, type = "application/json"): unknown =>
      parseBody({ body: Buffer.from(text), headers: { "content-type": type } });
    for (const text of [
      '{"metadata":{"__proto__":{"a":1}}}',
      '{"items":[{"\\u005f_proto__":{"a":1}}]}',
      '[{"op":"add","path":"/a","value":{"__proto__":{}}}]',
    ])
      expect(() => parse(text)).toThrow(expect.objectContaining({ code: 400 }));
    expect(() => parse("metadata:\n  __proto__:\n    a: 1\n", "application/yaml")).toThrow(
      expect.objectContaining({ code: 400 }),
    );
    expect(() => parse('metadata:\n  "\\x5f_proto__":\n    a: 1\n', "application/apply-patch+yaml")).toThrow(
      expect.objectContaining({ code: 400 }),
    );
    expect(parse('{"data":{"text":"__proto__ \\\\ as a value"}}')).toEqual({ data: { text: "__proto__ \\ as a value" } });
  });

  test("X063 field names such as constructor are ordinary data in every kind of patch", () => {
    const data = Object.fromEntries(inherited.filter((name) => name !== "__proto__").map((name) => [name, `value of ${name}`]));
    const object = (content: Record<string, string>): KubeObject =>
      ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" }, data: content }) as unknown as KubeObject;
    const before = snapshot();
    expect(checkObject(builtInSchemas, mapSchema, object(data)).value).toEqual(object(data));
    expect(checkObject(builtInSchemas, mapSchema, { constructor: {}, toString: 1 })).toMatchObject({
      value: {},
      unknown: ["constructor", "toString"],
    });
    expect(applyMergePatch(object({}), { data })).toEqual(object(data));
    expect(applyStrategicPatch(builtInSchemas, mapSchema, object({}) as never, { data })).toEqual(object(data));
    const manager = { name: "m", operation: "Apply" as const, nowMs: 0 };
    const applied = serverSideApply(builtInSchemas, mapSchema, object({}), object(data), manager, false);
    expect(applied.object["data"]).toEqual(data);
    const tracked = trackUpdate(builtInSchemas, mapSchema, object({}), object(data), { ...manager, operation: "Update" });
    expect(Object.keys(tracked[0]?.fieldsV1["f:data"] ?? {})).toContain("f:constructor");
    expect(snapshot()).toEqual(before);
  });

  test("X063 reading and writing a field never touches the prototype", () => {
    for (const name of inherited) {
      const fields: Record<string, unknown> = {};
      expect(findField(fields, name)).toBeUndefined();
      setField(fields, name, ["*"]);
      expect(findField(fields, name)).toEqual(["*"]);
      expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
    }
  });
});
