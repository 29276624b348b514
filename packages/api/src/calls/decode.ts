import { fromJson, ScalarType, type DescField, type DescMessage, type Message, type MessageShape } from "@bufbuild/protobuf";
import { validate, type Json } from "@cloudwright/contract";
import { didYouMean, Fault, type FieldViolation } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";
import { isObject } from "../entities/json-tree.ts";

/** Parses JSON into a message. The thrown fault lists every field that violates the contract. */
export function decode<Schema extends DescMessage>(schema: Schema, json: Json, what: string): MessageShape<Schema> {
  const message = decodeShape(schema, json, what);
  requireValid(schema, message, what);
  return message;
}

/** Parses JSON into a message and checks its structure but not its values. Used for partial entities, such as the body of an update. */
export function decodeShape<Schema extends DescMessage>(schema: Schema, json: Json, what: string): MessageShape<Schema> {
  requireKept(json, what);
  try {
    return fromJson(schema, json);
  } catch (error) {
    const fields = findMisfits(schema, json, "");
    const fallback = [{ field: "", message: error instanceof Error ? error.message : "cannot be parsed" }];
    throw invalid(what, fields.length > 0 ? fields : fallback, error);
  }
}

/** Validates a message. The thrown fault lists every invalid field. */
export function requireValid(schema: DescMessage, message: Message, what: string): void {
  const violations = validate(schema, message);
  if (violations.length > 0) throw invalid(what, violations);
  requireText(message);
}

/** Throws if a string field exceeds the length limit for names or contains NUL. Entities and update masks are validated elsewhere. */
export function requireNames(values: Readonly<Record<string, unknown>>): void {
  const long = Object.entries(values).find(
    ([name, value]) => name !== "updateMask" && typeof value === "string" && value.length > 63,
  );
  if (long !== undefined) throw invalid("the request", [{ field: long[0], message: "must be at most 63 characters" }]);
  requireText(values);
}

function requireText(values: object): void {
  const hasNul = (value: unknown): boolean => typeof value === "string" && value.includes(nul);
  if (!Object.values(values).some(hasNul)) return;
  const wrong = Object.entries(values).filter(([, value]) => hasNul(value));
  throw invalid(
    "the request",
    wrong.map(([field]) => ({ field, message: nulMessage })),
  );
}

/** Throws a fault that lists every string that cannot be stored. */
export function requireKept(json: Json, what: string): void {
  if (!isKept(json)) throw invalid(what, findUnkept(json, "").slice(0, mostMisfits));
}

const nul = "\u0000";
const nulMessage = "must not contain NUL characters";

/** Returns whether a JSON value can be stored. Runs for every request body, so it avoids allocations. */
function isKept(json: Json): boolean {
  if (typeof json === "string") return !json.includes(nul);
  if (Array.isArray(json)) return json.every(isKept);
  if (!isObject(json)) return true;
  return Object.keys(json).every((name) => name !== "__proto__" && !name.includes(nul) && isKept(json[name] as Json));
}

/** Lists strings and keys that cannot be stored. PostgreSQL text cannot contain NUL, and protobuf messages drop a key named __proto__. */
function findUnkept(json: Json, path: string): FieldViolation[] {
  if (typeof json === "string") return json.includes(nul) ? [{ field: path, message: nulMessage }] : [];
  if (Array.isArray(json)) return json.flatMap((item, index) => findUnkept(item, `${path}[${index}]`));
  if (!isObject(json)) return [];
  return Object.entries(json).flatMap(([name, value]) => {
    const at = path === "" ? name : `${path}.${name}`;
    if (name === "__proto__") return [{ field: at, message: "is a reserved name; choose another" }];
    return name.includes(nul) ? [{ field: path, message: nulMessage }] : findUnkept(value, at);
  });
}

/** Creates the fault for invalid fields. The message describes the first one. */
export function invalid(what: string, fields: readonly FieldViolation[], cause?: unknown): Fault {
  const [first] = fields;
  const where = first === undefined ? "" : `: ${first.field === "" ? "" : `${first.field} `}${first.message}`;
  const more = fields.length > 1 ? ` (and ${fields.length - 1} more)` : "";
  return new Fault(apiFaults.invalid, `${what} is not valid${where}${more}`, { fields, cause });
}

/** Lists unknown fields and values of the wrong type, with the paths that the caller used. */
function findMisfits(schema: DescMessage, json: Json, path: string): FieldViolation[] {
  if (schema.typeName.startsWith("google.protobuf.")) return findWellKnownMisfit(schema, json, path);
  if (!isObject(json)) return [{ field: path, message: "must be an object" }];
  return collect(Object.entries(json), ([name, value]): FieldViolation[] => {
    const at = path === "" ? name : `${path}.${name}`;
    const field = schema.fields.find((candidate) => candidate.jsonName === name || candidate.name === name);
    if (field === undefined) return [{ field: at, message: `is unknown${suggestField(schema, name)}` }];
    return value === null ? [] : findFieldMisfits(field, value, at);
  });
}

/** A request can contain many thousands of invalid fields. Listing all of them would be slow and would not help the caller. */
export const mostMisfits = 100;

function collect<Item>(items: readonly Item[], find: (item: Item) => FieldViolation[]): FieldViolation[] {
  const found: FieldViolation[] = [];
  for (const item of items) {
    if (found.length >= mostMisfits) break;
    found.push(...find(item));
  }
  return found.slice(0, mostMisfits);
}

function suggestField({ fields }: DescMessage, name: string): string {
  return didYouMean(
    name,
    fields.map(({ jsonName }) => jsonName),
  );
}

function findFieldMisfits(field: DescField, value: Json, at: string): FieldViolation[] {
  if (field.fieldKind === "list") {
    if (!Array.isArray(value)) return [{ field: at, message: "must be a list" }];
    return collect([...value.entries()], ([index, item]) => findItemMisfits(field, item, `${at}[${index}]`));
  }
  if (field.fieldKind === "map") {
    if (!isObject(value)) return [{ field: at, message: "must be an object" }];
    return collect(Object.entries(value), ([key, item]) =>
      key.isWellFormed()
        ? findItemMisfits(field, item, `${at}["${key}"]`)
        : [{ field: at, message: "must have keys that are valid Unicode" }],
    );
  }
  return findItemMisfits(field, value, at);
}

function findItemMisfits(field: DescField, value: Json, at: string): FieldViolation[] {
  if (field.message !== undefined) return findMisfits(field.message, value, at);
  const expected = expectedType(field.scalar);
  return fits(expected, value) ? [] : [{ field: at, message: `must be a ${expected}` }];
}

type Expected = "valid Unicode string" | "boolean" | "32-bit integer";

function expectedType(scalar: ScalarType | undefined): Expected {
  if (scalar === ScalarType.STRING || scalar === ScalarType.BYTES) return "valid Unicode string";
  return scalar === ScalarType.BOOL ? "boolean" : "32-bit integer";
}

function fits(expected: Expected, value: Json): boolean {
  if (expected === "boolean") return typeof value === "boolean";
  if (expected === "valid Unicode string") return typeof value === "string" && value.isWellFormed();
  return typeof value !== "boolean" && Number(value) === (Number(value) | 0);
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
