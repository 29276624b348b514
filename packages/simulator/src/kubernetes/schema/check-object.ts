import type { StatusCause } from "../api/status-error.ts";
import { isOpaque, type Schema, type Schemas } from "./schema.ts";

/** The result of a check: the problems of an object, and the object without its unknown fields. */
export interface Checked {
  readonly value: unknown;
  /** The paths of unknown fields. */
  readonly unknown: readonly string[];
  /** Fields with the wrong JSON type. */
  readonly mistyped: readonly StatusCause[];
  /** Violated validation rules. */
  readonly causes: readonly StatusCause[];
}

interface Findings {
  readonly unknown: string[];
  readonly mistyped: StatusCause[];
  readonly causes: StatusCause[];
  readonly isPartial: boolean;
}

/**
 * Checks a value against a schema. Drops unknown fields, treats null as absent, and fills in defaults unless the value is a partial object.
 */
export function checkObject(schemas: Schemas, schema: Schema, value: unknown, isPartial = false): Checked {
  const findings: Findings = { unknown: [], mistyped: [], causes: [], isPartial };
  const checked = check(schemas, schema, value, "", findings);
  return { value: checked, unknown: findings.unknown, mistyped: findings.mistyped, causes: findings.causes };
}

function check(schemas: Schemas, reference: Schema, value: unknown, path: string, findings: Findings): unknown {
  const schema = schemas.resolve(reference) ?? {};
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
  for (const [key, field] of Object.entries(schema.properties ?? {})) {
    if (out[key] !== undefined) out[key] = check(schemas, field, out[key], join(path, key), findings);
    else if (field.default !== undefined && !findings.isPartial) out[key] = structuredClone(field.default);
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
    const own = schema.properties?.[key];
    const other = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
    const field = own ?? other;
    const place = own === undefined && other !== undefined ? `${path}.${key}` : join(path, key);
    if (field === undefined) {
      if (schema.additionalProperties === true) out[key] = item;
      else findings.unknown.push(place);
    } else if (item === null && field.nullable !== true) continue;
    else out[key] = check(schemas, field, item, place, findings);
  }
  for (const [key, field] of Object.entries(schema.properties ?? {})) {
    if (out[key] === undefined && field.default !== undefined && !findings.isPartial)
      out[key] = check(schemas, field, structuredClone(field.default), join(path, key), findings);
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
  for (const key of schema.required ?? []) {
    if (value[key] !== undefined) continue;
    findings.causes.push({ reason: "FieldValueRequired", message: "Required value", field: join(path, key) });
  }
}

function checkList(schema: Schema, value: readonly unknown[], path: string, findings: Findings): void {
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    add(findings, path, "Invalid value", `${value.length}: ${path} in body should have at least ${schema.minItems} items`);
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    findings.causes.push({
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
    const identity = keys === undefined ? item : keys.map((key) => (item as Record<string, unknown> | null)?.[key] ?? null);
    const text = JSON.stringify(identity);
    if (seen.has(text)) {
      const shown =
        keys === undefined ? text : JSON.stringify(Object.fromEntries(keys.map((key, at) => [key, (identity as unknown[])[at]])));
      findings.causes.push({ reason: "FieldValueDuplicate", message: `Duplicate value: ${shown}`, field: `${path}[${index}]` });
    }
    seen.add(text);
  });
}

function checkScalar(schema: Schema, value: unknown, path: string, findings: Findings): unknown {
  if (value === null || isOpaque(schema)) return value;
  const actual = typeof value === "number" ? (Number.isInteger(value) ? "integer" : "number") : typeof value;
  if (actual !== schema.type && !(actual === "integer" && schema.type === "number"))
    return mistyped(schema, actual, path, value, findings);
  const shown = JSON.stringify(value);
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    const supported = schema.enum.map((item) => JSON.stringify(item)).join(", ");
    findings.causes.push({
      reason: "FieldValueNotSupported",
      message: `Unsupported value: ${shown}: supported values: ${supported}`,
      field: path,
    });
  }
  if (typeof value === "string") checkText(schema, value, path, findings);
  if (typeof value === "number") checkNumber(schema, value, path, findings);
  return value;
}

function checkText(schema: Schema, value: string, path: string, findings: Findings): void {
  const shown = JSON.stringify(value);
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value)) {
    add(findings, path, "Invalid value", `${shown}: ${path} in body should match '${schema.pattern}'`);
  }
  if (schema.minLength !== undefined && value.length < schema.minLength) {
    add(findings, path, "Invalid value", `${shown}: ${path} in body should be at least ${schema.minLength} chars long`);
  }
  if (schema.maxLength !== undefined && value.length > schema.maxLength) {
    findings.causes.push({
      reason: "FieldValueTooLong",
      message: `Too long: may not be more than ${schema.maxLength} bytes`,
      field: path,
    });
  }
  if (schema.format === "date-time" && Number.isNaN(Date.parse(value)))
    add(findings, path, "Invalid value", `${shown}: must be a time`);
}

function checkNumber(schema: Schema, value: number, path: string, findings: Findings): void {
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
    const inner: Findings = { unknown: [], mistyped: [], causes: [], isPartial: findings.isPartial };
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
  if (schema.oneOf !== undefined && schema.oneOf.filter(holds).length !== 1) {
    // Quantities use oneOf with plain types. An integer also matches the type number, so such a oneOf may have several matches.
    if (!schema.oneOf.every((part) => part.type !== undefined && Object.keys(part).length <= 2) || !schema.oneOf.some(holds)) {
      add(findings, path, "Invalid value", `"": "${path}" must validate one and only one schema (oneOf)`);
    }
  }
  if (schema.not !== undefined && holds(schema.not))
    add(findings, path, "Invalid value", `"": "${path}" must not validate the schema (not)`);
}

// Schemas below allOf, anyOf and the like add rules, but do not limit the allowed fields.
function open(schema: Schema): Schema {
  return schema.type === undefined && schema.properties === undefined && schema.required === undefined
    ? schema
    : { ...schema, "x-kubernetes-preserve-unknown-fields": true };
}

function mistyped(schema: Schema, actual: string, path: string, value: unknown, findings: Findings): unknown {
  const message = `Invalid value: "${actual}": ${path} in body must be of type ${schema.type}: "${actual}"`;
  findings.mistyped.push({ reason: "FieldValueTypeInvalid", message, field: path });
  return value;
}

function add(findings: Findings, field: string, what: string, message: string): void {
  findings.causes.push({ reason: "FieldValueInvalid", message: `${what}: ${message}`, field });
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
