import { fromJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { getEntitySchema, type JsonObject } from "./entities.ts";
import { kinds } from "./kinds.ts";
import { methods } from "./methods.ts";
import { acceptedInputs, rejectedInputs } from "./testing/entity-inputs.ts";
import { validate } from "./validate.ts";

function check(kind: string, input: JsonObject) {
  const schema = getEntitySchema(kind);
  return validate(schema, fromJson(schema, input));
}

describe("M025 the rules of the contract", () => {
  test.each(acceptedInputs)("accept a $kind $what", ({ kind, input }) => {
    expect(check(kind, input)).toEqual([]);
  });

  test.each(rejectedInputs)("M012 reject a $kind $what and name $field", ({ kind, input, field }) => {
    expect(check(kind, input).map((violation) => violation.field)).toContain(field);
  });

  test("M012 name every invalid field at once, in the caller's spelling", () => {
    const spec = { network: "n".repeat(64), workers: 2000, controlPlaneNodes: 4 };
    const fields = check("Cluster", { metadata: { name: "X" }, spec }).map(({ field }) => field);
    expect(fields.toSorted()).toEqual(["metadata.name", "spec.controlPlaneNodes", "spec.network", "spec.workers"]);
  });

  test("M012 keep the keys of maps as the caller wrote them", () => {
    const labels = { "a_b!": "x", 'q"_c': "y" };
    const fields = check("Project", { metadata: { name: "a", labels } }).map(({ field }) => field);
    expect(fields).toEqual(['metadata.labels["a_b!"]', 'metadata.labels["q\\"_c"]']);
  });

  test("M099 are tested with valid and invalid inputs for every kind that callers create", () => {
    const created = new Set(methods.filter(({ verb }) => verb === "create").map(({ kind }) => kind));
    const writable = kinds.map(({ kind }) => kind).filter((kind) => created.has(kind));
    expect(writable.length).toBeGreaterThan(5);
    for (const kind of writable) {
      expect(acceptedInputs.map((input) => input.kind)).toContain(kind);
      expect(rejectedInputs.map((input) => input.kind)).toContain(kind);
    }
  });
});
