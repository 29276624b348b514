import { ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { didYouMean, Fault } from "@cloudwright/platform";
import { apiFaults } from "../../faults.ts";

type QueryValue = string | number | boolean | string[];

/** Returns the request fields that can be query parameters, keyed by name. Fields set by the path or the body are excluded. */
export function queryFields(schema: DescMessage, taken: ReadonlySet<string>): ReadonlyMap<string, DescField> {
  const fields = schema.fields.filter(
    (field) => !taken.has(field.jsonName) && (field.fieldKind === "scalar" || isWords(field) || isMask(field)),
  );
  return new Map(fields.map((field) => [field.jsonName, field]));
}

/** Returns whether a field is a list of strings. Lists are passed as one comma-separated parameter. */
function isWords(field: DescField): boolean {
  return field.fieldKind === "list" && field.listKind === "scalar" && field.scalar === ScalarType.STRING;
}

function isMask(field: DescField): boolean {
  return field.message?.typeName === "google.protobuf.FieldMask";
}

/**
 * Parses query parameters according to their field types. Throws a fault that names the parameter if it is unknown, repeated or invalid.
 */
export function parseQuery(
  fields: ReadonlyMap<string, DescField>,
  query: Readonly<Record<string, unknown>>,
): Record<string, QueryValue> {
  const values: Record<string, QueryValue> = {};
  for (const [name, value] of Object.entries(query)) {
    const field = fields.get(name);
    if (field === undefined) throw bad(name, `is unknown${didYouMean(name, fields.keys())}`);
    if (typeof value !== "string")
      throw bad(name, `must be given only once${isWords(field) ? ", with commas between its values" : ""}`);
    values[name] = parseValue(name, field, value);
  }
  return values;
}

function parseValue(name: string, field: DescField, value: string): QueryValue {
  if (isWords(field)) return value === "" ? [] : value.split(",");
  if (field.scalar === ScalarType.BOOL) {
    if (value !== "true" && value !== "false") throw bad(name, `must be true or false, not "${value}"`);
    return value === "true";
  }
  if (field.scalar !== ScalarType.INT32) return value;
  if (!/^-?\d{1,10}$/.test(value)) throw bad(name, `must be a whole number, not "${value}"`);
  return Number(value);
}

function bad(name: string, message: string): Fault {
  return new Fault(apiFaults.bad_query, `query parameter "${name}" ${message}`, { fields: [{ field: name, message }] });
}
