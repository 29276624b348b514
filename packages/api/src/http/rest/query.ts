import { ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { Fault } from "@cloudwright/platform";
import { apiFaults } from "../../faults.ts";

type QueryValue = string | number | boolean | string[];

/** The request fields that may come as query parameters, by name: all that path and body do not fill. */
export function queryFields(schema: DescMessage, taken: ReadonlySet<string>): ReadonlyMap<string, DescField> {
  const fields = schema.fields.filter(
    (field) => !taken.has(field.jsonName) && (field.fieldKind === "scalar" || isWords(field) || isMask(field)),
  );
  return new Map(fields.map((field) => [field.jsonName, field]));
}

/** A list of words comes as one parameter, with commas. */
function isWords(field: DescField): boolean {
  return field.fieldKind === "list" && field.listKind === "scalar" && field.scalar === ScalarType.STRING;
}

function isMask(field: DescField): boolean {
  return field.message?.typeName === "google.protobuf.FieldMask";
}

/** Reads query parameters by their fields' types; an unknown, repeated or wrong one is named. */
export function parseQuery(
  fields: ReadonlyMap<string, DescField>,
  query: Readonly<Record<string, unknown>>,
): Record<string, QueryValue> {
  const values: Record<string, QueryValue> = {};
  for (const [name, value] of Object.entries(query)) {
    const field = fields.get(name);
    if (field === undefined) throw bad(name, "is unknown");
    if (typeof value !== "string") throw bad(name, "is given more than once");
    values[name] = parseValue(name, field, value);
  }
  return values;
}

function parseValue(name: string, field: DescField, value: string): QueryValue {
  if (isWords(field)) return value === "" ? [] : value.split(",");
  if (field.scalar === ScalarType.BOOL) {
    if (value !== "true" && value !== "false") throw bad(name, `is "${value}", not true or false`);
    return value === "true";
  }
  if (field.scalar !== ScalarType.INT32) return value;
  if (!/^-?\d{1,10}$/.test(value)) throw bad(name, `is "${value}", not a whole number`);
  return Number(value);
}

function bad(name: string, message: string): Fault {
  return new Fault(apiFaults.bad_query, `query parameter "${name}" ${message}`, { fields: [{ field: name, message }] });
}
