import { fromJson } from "@bufbuild/protobuf";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { getEntitySchema } from "../entities.ts";
import { entityExamples, renderOpenApi } from "../openapi.ts";
import { methods } from "../methods.ts";
import { acceptedInputs, rejectedInputs } from "../testing/entity-inputs.ts";
import { validate } from "../validate.ts";
import { membersOf, objectAt } from "./reference/document.ts";

const document = renderOpenApi({ version: "0" });
const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
ajv.addSchema(document, "document");

function compile(name: string): ValidateFunction {
  return ajv.compile({ $ref: `document#/components/schemas/${name}` });
}

describe("M001 the schemas agree with the server", () => {
  test.each(membersOf(objectAt(objectAt(document, "components"), "schemas")))("%s is a usable schema", (name) => {
    expect(() => compile(name)).not.toThrow();
  });

  test.each(acceptedInputs)("they accept a $kind $what", ({ kind, input }) => {
    const check = compile(kind);
    expect([check(input), check.errors]).toEqual([true, null]);
  });

  test.each(rejectedInputs)("they reject a $kind $what, unless only the server can tell", ({ kind, input, beyondSchema }) => {
    expect(compile(kind)(input)).toBe(beyondSchema ?? false);
  });

  test("they reject unknown fields and two clouds at once, as the server does", () => {
    const unknown = { metadata: { name: "a" }, spec: { network: "m", wrokers: 2 } };
    const two = { metadata: { name: "a" }, spec: { aws: {}, gcp: {} } };
    expect([compile("Cluster")(unknown), compile("Account")(two)]).toEqual([false, false]);
    expect(() => fromJson(getEntitySchema("Cluster"), unknown)).toThrow("wrokers");
    expect(() => fromJson(getEntitySchema("Account"), two)).toThrow("oneof");
  });

  test("a patch is any writable part of an entity, with null to clear", () => {
    const check = compile("ClusterPatch");
    expect(check({ spec: { workers: 3 } })).toBe(true);
    expect(check({ spec: { aws: null, instanceType: null }, metadata: { labels: { tier: null } } })).toBe(true);
    expect(check({ spec: { workers: 1001 } })).toBe(false);
    expect(check({ spec: { network: null } })).toBe(true);
    expect(check({ status: {} })).toBe(false);
  });
});

describe("M013 the examples of the reference", () => {
  const created = methods
    .filter(({ verb, bindings }) => verb === "create" && bindings[0]?.body === "entity")
    .map(({ kind }) => kind);

  test.each(created)("a %s can be created from its example", (kind) => {
    const example = entityExamples[kind];
    const schema = getEntitySchema(kind);
    expect(validate(schema, fromJson(schema, example ?? null))).toEqual([]);
    expect(compile(kind)(example)).toBe(true);
  });

  test("every example in the document fits its schema", () => {
    const media = membersOf(objectAt(document, "paths")).flatMap(([, operations]) =>
      membersOf(operations).flatMap(([, operation]) => membersOf(objectAt(objectAt(operation, "requestBody"), "content"))),
    );
    const withExample = media.map(([, entry]) => entry).filter((entry) => entry["example"] !== undefined);
    expect(withExample.length).toBeGreaterThan(20);
    for (const { schema, example } of withExample) {
      const ref = (schema as { $ref: string }).$ref;
      expect([ref, ajv.compile({ $ref: `document${ref}` })(example)]).toEqual([ref, true]);
    }
  });
});
