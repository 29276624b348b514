import type { CloudRecord } from "../inventory/inventory.ts";
import { isList, isMap, type Value, type ValueMap } from "../values/value.ts";

/**
 * One field of an API model and the attribute that stores it. Paths are dotted, with numbers for list elements: `scalingConfig.minSize` and
 * `scaling_config.0.min_size`.
 */
export type FieldMapping =
  | readonly [api: string, attribute: string]
  | {
      readonly api: string;
      readonly attribute: string;
      /** Converts the stored value. If it returns undefined, the field is omitted. */
      readonly read?: (value: Value, record: CloudRecord) => unknown;
      /** Converts a value from a request. If absent, the value is stored unchanged. */
      readonly write?: (value: unknown) => Value;
      /** Whether the field occurs only in replies. */
      readonly isReadOnly?: boolean;
    };

/** The fields of one resource type in one model of the cloud's API. */
export interface ResourceMapping {
  /** The Terraform resource type, which is also the type of the records. */
  readonly type: string;
  /** The name of the shape in the cloud's API description. */
  readonly model: string;
  readonly fields: readonly FieldMapping[];
}

/** Renders a record as the API does. Attributes without a value are omitted. */
export function readFields({ fields }: ResourceMapping, record: CloudRecord): Record<string, unknown> {
  const rendered: Record<string, unknown> = {};
  for (const field of fields) {
    const { api, attribute, read } = toObject(field);
    const stored = valueAt(record.attributes, attribute.split("."));
    const value = read === undefined ? (stored ?? undefined) : read(stored ?? null, record);
    if (value !== undefined && value !== null && value !== "") setAt(rendered, api.split("."), value);
  }
  return rendered;
}

/** Returns the attributes that a request sets. */
export function writeFields({ fields }: ResourceMapping, body: unknown): ValueMap {
  const attributes: Record<string, unknown> = {};
  for (const field of fields) {
    const { api, attribute, write, isReadOnly } = toObject(field);
    const given = valueAt(body, api.split("."));
    if (isReadOnly === true || given === undefined || given === null) continue;
    setAt(attributes, attribute.split("."), write === undefined ? given : write(given));
  }
  return attributes as ValueMap;
}

/**
 * Merges the attributes of a request into those of a record. Lists that represent one block are merged field by field, and all other lists
 * are replaced.
 */
export function mergeBlocks(base: ValueMap, patch: ValueMap): ValueMap {
  const merged = Object.entries(patch).map(([name, value]): [string, Value] => {
    const before = base[name];
    const [first, ...more] = isList(value) ? value : [];
    const [old] = isList(before) ? before : [];
    const isBlock = isMap(first) && more.length === 0 && isMap(old);
    return [name, isBlock ? [mergeBlocks(old, first)] : value];
  });
  return { ...base, ...Object.fromEntries(merged) };
}

/** Converts a field mapping to its object form. A mapping can also be a pair of paths. */
export function toObject(field: FieldMapping): Exclude<FieldMapping, readonly [string, string]> {
  return isPair(field) ? { api: field[0], attribute: field[1] } : field;
}

function isPair(field: FieldMapping): field is readonly [string, string] {
  return Array.isArray(field);
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): Value | undefined {
  if (name === undefined) return value as Value | undefined;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return valueAt((value as Readonly<Record<string, unknown>>)[name], rest);
}

function setAt(target: Record<string, unknown>, [name = "", ...rest]: readonly string[], value: unknown): void {
  const [next] = rest;
  if (next === undefined) {
    target[name] = value;
    return;
  }
  target[name] ??= next === "0" ? [] : {};
  setAt(target[name] as Record<string, unknown>, rest, value);
}
