import { fromJson, ScalarType, type DescField, type DescMessage, type Message, type MessageShape } from "@bufbuild/protobuf";
import { validate, type Json } from "@cloudwright/contract";
import { Fault, type FieldViolation } from "@cloudwright/platform";
import { apiFaults } from "./faults.ts";
import { isObject } from "./json-tree.ts";

/** JSON as a message that keeps every rule of the contract, or a fault that names each field that does not. */
export function decode<Schema extends DescMessage>(schema: Schema, json: Json, what: string): MessageShape<Schema> {
  let message: MessageShape<Schema>;
  try {
    message = fromJson(schema, json);
  } catch (error) {
    const fields = findMisfits(schema, json, "");
    const fallback = [{ field: "", message: error instanceof Error ? error.message : "is not readable" }];
    throw invalid(what, fields.length > 0 ? fields : fallback, error);
  }
  requireValid(schema, message, what);
  return message;
}

/** Throws the fault that names each field which breaks a rule. */
export function requireValid(schema: DescMessage, message: Message, what: string): void {
  const violations = validate(schema, message);
  if (violations.length > 0) throw invalid(what, violations);
}

/** The fault for an input with wrong fields; its message names the first of them. */
export function invalid(what: string, fields: readonly FieldViolation[], cause?: unknown): Fault {
  const [first] = fields;
  const where = first === undefined ? "" : `: ${first.field === "" ? "" : `${first.field} `}${first.message}`;
  const more = fields.length > 1 ? ` (and ${fields.length - 1} more)` : "";
  return new Fault(apiFaults.invalid, `${what} is not valid${where}${more}`, { fields, cause });
}

/** Where JSON does not fit its message: unknown names and wrong types, by the caller's own paths. */
function findMisfits(schema: DescMessage, json: Json, path: string): FieldViolation[] {
  if (schema.typeName.startsWith("google.protobuf.")) return findWellKnownMisfit(schema, json, path);
  if (!isObject(json)) return [{ field: path, message: "must be an object" }];
  return Object.entries(json).flatMap(([name, value]): FieldViolation[] => {
    const at = path === "" ? name : `${path}.${name}`;
    const field = schema.fields.find((candidate) => candidate.jsonName === name || candidate.name === name);
    if (field === undefined) return [{ field: at, message: "is unknown" }];
    return value === null ? [] : findFieldMisfits(field, value, at);
  });
}

function findFieldMisfits(field: DescField, value: Json, at: string): FieldViolation[] {
  if (field.fieldKind === "list") {
    if (!Array.isArray(value)) return [{ field: at, message: "must be a list" }];
    return value.flatMap((item, index) => findItemMisfits(field, item, `${at}[${index}]`));
  }
  if (field.fieldKind === "map") {
    if (!isObject(value)) return [{ field: at, message: "must be an object" }];
    return Object.entries(value).flatMap(([key, item]) => findItemMisfits(field, item, `${at}["${key}"]`));
  }
  return findItemMisfits(field, value, at);
}

function findItemMisfits(field: DescField, value: Json, at: string): FieldViolation[] {
  if (field.message !== undefined) return findMisfits(field.message, value, at);
  const expected = expectedType(field.scalar);
  const fits =
    expected === "whole number" ? Number.isInteger(Number(value)) && typeof value !== "boolean" : typeof value === expected;
  return fits ? [] : [{ field: at, message: `must be a ${expected}` }];
}

function expectedType(scalar: ScalarType | undefined): "string" | "boolean" | "whole number" {
  if (scalar === ScalarType.STRING || scalar === ScalarType.BYTES) return "string";
  return scalar === ScalarType.BOOL ? "boolean" : "whole number";
}

function findWellKnownMisfit(schema: DescMessage, json: Json, path: string): FieldViolation[] {
  try {
    fromJson(schema, json);
    return [];
  } catch {
    const name = schema.name === "Timestamp" ? "a time such as 2027-01-31T12:00:00Z" : `a ${schema.name}`;
    return [{ field: path, message: `must be ${name}` }];
  }
}
