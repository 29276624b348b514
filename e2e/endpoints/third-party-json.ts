import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { Json, JsonObject } from "@cloudwright/contract";

/** A message as a third-party client represents it. It resembles proto3 JSON, except for types with a special JSON form. */
type Foreign = { [name: string]: unknown };

/** Converts proto3 JSON to a third-party client's representation. */
export function toForeign(schema: DescMessage, json: JsonObject): Foreign {
  return mapFields(schema, json, (message, value) => {
    if (message.typeName === "google.protobuf.FieldMask") return { paths: String(value).split(",").map(toSnake) };
    if (message.typeName === "google.protobuf.Timestamp") {
      const ms = Date.parse(String(value));
      return { seconds: String(Math.floor(ms / 1000)), nanos: (ms % 1000) * 1_000_000 };
    }
    return toForeign(message, value as JsonObject);
  });
}

/** Converts a third-party client's representation to proto3 JSON. */
export function fromForeign(schema: DescMessage, foreign: object): JsonObject {
  return mapFields(schema, foreign as Foreign, (message, value) => {
    if (message.typeName === "google.protobuf.Struct") return fromStruct(value as ForeignStruct);
    if (message.typeName === "google.protobuf.Timestamp") {
      const { seconds = "0", nanos = 0 } = value as { seconds?: string; nanos?: number };
      return new Date(Number(seconds) * 1000 + nanos / 1_000_000).toISOString();
    }
    return fromForeign(message, value as object);
  }) as JsonObject;
}

function mapFields(schema: DescMessage, from: Foreign, convert: (message: DescMessage, value: unknown) => unknown): Foreign {
  const entries = Object.entries(from).map(([name, value]): [string, unknown] => {
    const field = schema.fields.find((candidate) => candidate.jsonName === name);
    const message = field?.message;
    if (message === undefined || value === null) return [name, value];
    return [name, mapValue(field as DescField, value, (item) => convert(message, item))];
  });
  return Object.fromEntries(entries);
}

function mapValue(field: DescField, value: unknown, convert: (item: unknown) => unknown): unknown {
  if (field.fieldKind === "list") return (value as unknown[]).map(convert);
  if (field.fieldKind !== "map") return convert(value);
  return Object.fromEntries(Object.entries(value as Foreign).map(([key, item]) => [key, convert(item)]));
}

interface ForeignStruct {
  readonly fields?: Readonly<Record<string, ForeignValue>>;
}

interface ForeignValue {
  readonly nullValue?: unknown;
  readonly numberValue?: number;
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly structValue?: ForeignStruct;
  readonly listValue?: { readonly values?: readonly ForeignValue[] };
}

function fromStruct({ fields = {} }: ForeignStruct): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fromValue(value)]));
}

function fromValue(value: ForeignValue): Json {
  if (value.structValue !== undefined) return fromStruct(value.structValue);
  if (value.listValue !== undefined) return (value.listValue.values ?? []).map(fromValue);
  return value.stringValue ?? value.numberValue ?? value.boolValue ?? null;
}

function toSnake(path: string): string {
  return path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
