import type { StatusCause } from "../api/status-error.ts";
import { findField, setField } from "../cluster/own-fields.ts";
import { createCheckWork, type CheckWork } from "./check-work.ts";
import { isOpaque, type Schema, type Schemas } from "./schema.ts";

/** The result of a check: the problems of an object, and the object without its unknown fields. */
export interface Checked {
  readonly value: unknown;
  /** The paths of unknown fields. */
  readonly unknown: readonly string[];
  /** Fields with the wrong JSON type. */
  readonly mistyped: readonly StatusCause[];
  /** The validation rules that the object violates. */
  readonly causes: readonly StatusCause[];
}

interface Findings {
  readonly unknown: string[];
  readonly mistyped: StatusCause[];
  readonly causes: StatusCause[];
  readonly isPartial: boolean;
  readonly work: CheckWork;
}

/** Maximum number of reported problems. More would only make the response larger. */
const mostFindings = 100;
/** An error lists at most this many values of an enumeration. */
const mostValues = 50;

/**
 * Checks a value against a schema. Drops unknown fields, treats null as absent, and fills in defaults unless the value is a partial object.
 */
export function checkObject(schemas: Schemas, schema: Schema, value: unknown, isPartial = false): Checked {
  const findings: Findings = { unknown: [], mistyped: [], causes: [], isPartial, work: createCheckWork() };
  const checked = check(schemas, schema, value, "", findings);
  return { value: checked, unknown: findings.unknown, mistyped: findings.mistyped, causes: findings.causes };
}

function check(schemas: Schemas, reference: Schema, value: unknown, path: string, findings: Findings): unknown {
  const schema = schemas.resolve(reference) ?? {};
  findings.work.spend(5);
  checkCombined(schemas, schema, value, path, findings);
  if (Array.isArray(value)) {
    if (schema.type !== undefined && schema.type !== "array") return mistyped(schema, "array", path, value, findings);
    checkList(schema, value, path, findings);
    return value.map((item, index) => check(schemas, schema.items ?? {}, item, `${path}[${index}]`, findings));
  }
  if (typeof value === "object" && value !== null) {
    if (isOpaque(schema) || schema["x-kubernetes-preserve-unknown-fields"] === true)
      return checkOpen(schemas, schema, value, path, findings);
    if (schema.type !== "object") return mistyped(schema, "object", path, value, findings);
    return checkFields(schemas, schema, value as Record<string, unknown>, path, findings);
  }
  return checkScalar(schema, value, path, findings);
}

function checkOpen(schemas: Schemas, schema: Schema, value: object, path: string, findings: Findings): unknown {
  const out: Record<string, unknown> = { ...value };
  const fields = Object.entries(schema.properties ?? {});
  findings.work.spend(fields.length);
  for (const [key, field] of fields) {
    const item = findField(out, key);
    if (item !== undefined) setField(out, key, check(schemas, field, item, join(path, key), findings));
    else if (field.default !== undefined && !findings.isPartial) setField(out, key, findings.work.copyDefault(field.default));
  }
  checkRequired(schema, out, path, findings);
  return out;
}

function checkFields(
  schemas: Schemas,
  schema: Schema,
  value: Record<string, unknown>,
  path: string,
  findings: Findings,
): unknown {
  const out: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const own = findField(schema.properties, key);
    const other = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
    const field = own ?? other;
    const place = own === undefined && other !== undefined ? `${path}.${key}` : join(path, key);
    if (field === undefined) {
      if (schema.additionalProperties === true) setField(out, key, item);
      else note(findings.unknown, place);
    } else if (item === null && field.nullable !== true) continue;
    else setField(out, key, check(schemas, field, item, place, findings));
  }
  const fields = Object.entries(schema.properties ?? {});
  findings.work.spend(fields.length);
  for (const [key, field] of fields) {
    if (findField(out, key) === undefined && field.default !== undefined && !findings.isPartial)
      setField(out, key, check(schemas, field, findings.work.copyDefault(field.default), join(path, key), findings));
  }
  checkRequired(schema, out, path, findings);
  const count = Object.keys(out).length;
  if (schema.minProperties !== undefined && count < schema.minProperties)
    add(findings, path, "Invalid value", `must have at least ${schema.minProperties} properties`);
  if (schema.maxProperties !== undefined && count > schema.maxProperties)
    add(findings, path, "Too many", `must have at most ${schema.maxProperties} items`);
  return out;
}

function checkRequired(schema: Schema, value: Record<string, unknown>, path: string, findings: Findings): void {
  // Kubernetes hardly validates the status, because controllers write it.
  if (findings.isPartial || path === "status" || path.startsWith("status.")) return;
  findings.work.spend(schema.required?.length ?? 0);
  for (const key of schema.required ?? []) {
    if (findField(value, key) !== undefined) continue;
    note(findings.causes, { reason: "FieldValueRequired", message: "Required value", field: join(path, key) });
  }
}

function checkList(schema: Schema, value: readonly unknown[], path: string, findings: Findings): void {
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    add(findings, path, "Invalid value", `${value.length}: ${path} in body should have at least ${schema.minItems} items`);
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    note(findings.causes, {
      reason: "FieldValueTooMany",
      message: `Too many: ${value.length}: must have at most ${schema.maxItems} items`,
      field: path,
    });
  }
  const keys = schema["x-kubernetes-list-type"] === "map" ? schema["x-kubernetes-list-map-keys"] : undefined;
  const isSet = schema["x-kubernetes-list-type"] === "set" || schema.uniqueItems === true;
  if (keys === undefined && !isSet) return;
  const seen = new Set<string>();
  value.forEach((item, index) => {
    const identity =
      keys === undefined ? item : keys.map((key) => findField(item as Record<string, unknown> | null, key) ?? null);
    const text = JSON.stringify(identity);
    if (seen.has(text)) {
      const shown =
        keys === undefined ? text : JSON.stringify(Object.fromEntries(keys.map((key, at) => [key, (identity as unknown[])[at]])));
      note(findings.causes, { reason: "FieldValueDuplicate", message: `Duplicate value: ${shown}`, field: `${path}[${index}]` });
    }
    seen.add(text);
  });
}

function checkScalar(schema: Schema, value: unknown, path: string, findings: Findings): unknown {
  if (value === null || isOpaque(schema)) return value;
  const actual = typeof value === "number" ? (Number.isInteger(value) ? "integer" : "number") : typeof value;
  if (actual !== schema.type && !(actual === "integer" && schema.type === "number"))
    return mistyped(schema, actual, path, value, findings);
  findings.work.spend(schema.enum?.length ?? 0);
  if (schema.enum !== undefined && !schema.enum.includes(value) && findings.causes.length < mostFindings) {
    const more = schema.enum.length > mostValues ? `, and ${schema.enum.length - mostValues} more` : "";
    const supported = `${schema.enum
      .slice(0, mostValues)
      .map((item) => JSON.stringify(item))
      .join(", ")}${more}`;
    note(findings.causes, {
      reason: "FieldValueNotSupported",
      message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`,
      field: path,
    });
  }
  if (typeof value === "string") checkText(schema, value, path, findings);
  if (typeof value === "number") checkNumber(schema, value, path, findings);
  return value;
}

function checkText(schema: Schema, value: string, path: string, findings: Findings): void {
  findings.work.spend(value.length >> 5);
  const show = (): string => JSON.stringify(value);
  if (schema.pattern !== undefined && !findings.work.matches(schema.pattern, value)) {
    add(findings, path, "Invalid value", `${show()}: ${path} in body should match '${schema.pattern}'`);
  }
  if (schema.minLength !== undefined && value.length < schema.minLength) {
    add(findings, path, "Invalid value", `${show()}: ${path} in body should be at least ${schema.minLength} chars long`);
  }
  if (schema.maxLength !== undefined && value.length > schema.maxLength) {
    note(findings.causes, {
      reason: "FieldValueTooLong",
      message: `Too long: may not be more than ${schema.maxLength} bytes`,
      field: path,
    });
  }
  if (schema.format === "date-time" && Number.isNaN(Date.parse(value)))
    add(findings, path, "Invalid value", `${show()}: must be a time`);
}

const largestInt32 = 2 ** 31 - 1;

function checkNumber(schema: Schema, value: number, path: string, findings: Findings): void {
  if (schema.format === "int32" && (value > largestInt32 || value < -largestInt32 - 1))
    add(findings, path, "Invalid value", `${value}: ${path} in body must be a 32-bit integer`);
  const tooSmall =
    schema.minimum !== undefined && (schema.exclusiveMinimum === true ? value <= schema.minimum : value < schema.minimum);
  if (tooSmall)
    add(findings, path, "Invalid value", `${value}: ${path} in body should be greater than or equal to ${schema.minimum}`);
  const tooLarge =
    schema.maximum !== undefined && (schema.exclusiveMaximum === true ? value >= schema.maximum : value > schema.maximum);
  if (tooLarge)
    add(findings, path, "Invalid value", `${value}: ${path} in body should be less than or equal to ${schema.maximum}`);
  if (schema.multipleOf !== undefined && value % schema.multipleOf !== 0) {
    add(findings, path, "Invalid value", `${value}: ${path} in body should be a multiple of ${schema.multipleOf}`);
  }
}

function checkCombined(schemas: Schemas, schema: Schema, value: unknown, path: string, findings: Findings): void {
  const holds = (part: Schema): boolean => {
    const inner: Findings = { unknown: [], mistyped: [], causes: [], isPartial: findings.isPartial, work: findings.work };
    check(schemas, open(part), value, path, inner);
    return inner.mistyped.length === 0 && inner.causes.length === 0;
  };
  if (schema["x-kubernetes-int-or-string"] === true) {
    if (typeof value !== "string" && !Number.isInteger(value) && value !== null)
      mistyped({ type: "integer or string" }, typeof value, path, value, findings);
    return;
  }
  if (schema.allOf !== undefined && !schema.allOf.every(holds))
    add(findings, path, "Invalid value", `"": "${path}" must validate all the schemas (allOf)`);
  if (schema.anyOf !== undefined && !schema.anyOf.some(holds))
    add(findings, path, "Invalid value", `"": "${path}" must validate at least one schema (anyOf)`);
  if (schema.oneOf !== undefined) {
    const matching = schema.oneOf.filter(holds).length;
    // Quantities use oneOf with plain types. An integer also matches the `number` type, so such a oneOf may have several matches.
    const isPlain = schema.oneOf.every((part) => part.type !== undefined && Object.keys(part).length <= 2);
    if (matching === 0 || (matching > 1 && !isPlain))
      add(findings, path, "Invalid value", `"": "${path}" must validate one and only one schema (oneOf)`);
  }
  if (schema.not !== undefined && holds(schema.not))
    add(findings, path, "Invalid value", `"": "${path}" must not validate the schema (not)`);
}

// Schemas inside allOf, anyOf and similar keywords add rules, but do not limit the allowed fields.
function open(schema: Schema): Schema {
  return schema.type === undefined && schema.properties === undefined && schema.required === undefined
    ? schema
    : { ...schema, "x-kubernetes-preserve-unknown-fields": true };
}

function mistyped(schema: Schema, actual: string, path: string, value: unknown, findings: Findings): unknown {
  const message = `Invalid value: "${actual}": ${path} in body must be of type ${schema.type}: "${actual}"`;
  note(findings.mistyped, { reason: "FieldValueTypeInvalid", message, field: path });
  return value;
}

function note<Finding>(list: Finding[], finding: Finding): void {
  if (list.length < mostFindings) list.push(finding);
}

function add(findings: Findings, field: string, what: string, message: string): void {
  note(findings.causes, { reason: "FieldValueInvalid", message: `${what}: ${message}`, field });
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
