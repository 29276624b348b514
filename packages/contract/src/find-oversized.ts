import { getOption, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { field as fieldRules, type FieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import type { FieldViolation } from "@cloudwright/platform";

/** Smaller lists, maps and strings are always left to the validator, which reports all violations of a message. */
const atLeast = { entries: 1000, characters: 10_000 };
const mostViolations = 10;

/**
 * Finds lists, maps and strings that are far larger than any valid value. The validator checks every entry and every character, which would
 * take seconds for a request of 1 MiB. This function only looks at sizes.
 */
export function findOversized(schema: DescMessage, message: Message, path = ""): FieldViolation[] {
  const found: FieldViolation[] = [];
  for (const field of schema.fields) {
    const value = readField(field, message);
    if (value === undefined) continue;
    const at = path === "" ? field.name : `${path}.${field.name}`;
    found.push(...findInField(field, value, at));
    if (found.length >= mostViolations) break;
  }
  return found;
}

function readField({ localName, oneof }: DescField, message: Message): unknown {
  const values = message as unknown as Readonly<Record<string, unknown>>;
  if (oneof === undefined) return values[localName];
  const choice = values[oneof.localName] as { readonly case?: string; readonly value?: unknown } | undefined;
  return choice?.case === localName ? choice.value : undefined;
}

function findInField(field: DescField, value: unknown, at: string): FieldViolation[] {
  const { type } = rulesOf(field);
  if (field.fieldKind === "list") {
    const items = value as readonly unknown[];
    const most = type.case === "repeated" ? Number(type.value.maxItems) : 0;
    const hasRules = type.case === "repeated" && type.value.items !== undefined;
    if (isTooMany(items.length, most, hasRules))
      return [{ field: at, message: `must contain at most ${most || atLeast.entries} items` }];
    const rules = type.case === "repeated" ? type.value.items : undefined;
    return items.flatMap((item, index) => findInValue(field.message, rules, item, `${at}[${index}]`)).slice(0, mostViolations);
  }
  if (field.fieldKind === "map") {
    const entries = Object.entries(value as Readonly<Record<string, unknown>>);
    const [most, rules] = type.case === "map" ? [Number(type.value.maxPairs), type.value.values] : [0, undefined];
    const hasRules = type.case === "map" && (type.value.keys !== undefined || rules !== undefined);
    if (isTooMany(entries.length, most, hasRules))
      return [{ field: at, message: `must contain at most ${most || atLeast.entries} entries` }];
    const keys = type.case === "map" ? type.value.keys : undefined;
    const found = entries.flatMap(([key, item]) => [
      ...findInValue(undefined, keys, key, at),
      ...findInValue(field.message, rules, item, `${at}["${key.slice(0, 100)}"]`),
    ]);
    return found.slice(0, mostViolations);
  }
  return findInValue(field.message, rulesOf(field), value, at);
}

const known = new Map<DescField, FieldRules>();

function rulesOf(field: DescField): FieldRules {
  const rules = known.get(field) ?? getOption(field, fieldRules);
  known.set(field, rules);
  return rules;
}

function isTooMany(count: number, most: number, hasRules: boolean): boolean {
  return count > atLeast.entries && (most > 0 ? count > 10 * most : hasRules);
}

function findInValue(
  schema: DescMessage | undefined,
  rules: FieldRules | undefined,
  value: unknown,
  at: string,
): FieldViolation[] {
  if (schema !== undefined)
    return schema.typeName.startsWith("google.protobuf.") ? [] : findOversized(schema, value as Message, at);
  if (typeof value !== "string" || value.length <= atLeast.characters || rules?.type.case !== "string") return [];
  const most = Number(rules.type.value.maxLen);
  const isTooLong = most > 0 ? value.length > 10 * most : rules.type.value.pattern !== "";
  return isTooLong ? [{ field: at, message: `must be at most ${most || atLeast.characters} characters` }] : [];
}
