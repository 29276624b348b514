import { getOption, hasOption, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import {
  field as fieldOption,
  FieldRulesSchema,
  Ignore,
  type FieldRules,
  type MapRules,
  type RepeatedRules,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import type { Json, JsonObject } from "../entities.ts";
import { patterns } from "./patterns.ts";

/** Returns the protovalidate rules of a field. Returns undefined if it has none. */
export function readFieldRules(field: DescField): FieldRules | undefined {
  return hasOption(field, fieldOption) ? getOption(field, fieldOption) : undefined;
}

/** Renders the rules for a single value as JSON Schema. Throws if it cannot translate a rule, so that no rule is lost. */
export function renderRules(rules: FieldRules | undefined): JsonObject {
  if (rules?.type.case === undefined || rules.ignore === Ignore.ALWAYS) return {};
  const known = keywords[rules.type.case];
  if (known === undefined) throw new Error(`no schema for rules of ${rules.type.case}`);
  const schema: JsonObject = {};
  for (const [name, value] of listSet(rules.type.value, rules.type.case)) {
    const render = known[name];
    if (render === undefined) throw new Error(`no schema for the rule ${rules.type.case}.${name}`);
    Object.assign(schema, render(value));
  }
  return rules.ignore === Ignore.IF_ZERO_VALUE ? orEmpty(schema) : schema;
}

/** Renders the rules for a list and returns the rules for its items. */
export function renderListRules(rules: FieldRules | undefined): { list: JsonObject; items: FieldRules | undefined } {
  if (rules?.type.case !== "repeated") return { list: {}, items: undefined };
  const value: RepeatedRules = rules.type.value;
  return {
    list: {
      ...(value.minItems > 0n && { minItems: Number(value.minItems) }),
      ...(value.maxItems > 0n && { maxItems: Number(value.maxItems) }),
      ...(value.unique && { uniqueItems: true }),
    },
    items: value.items,
  };
}

/** Renders the rules for a map with string keys and returns the rules for its values. */
export function renderMapRules(rules: FieldRules | undefined): { map: JsonObject; values: FieldRules | undefined } {
  if (rules?.type.case !== "map") return { map: {}, values: undefined };
  const value: MapRules = rules.type.value;
  return {
    map: {
      ...(value.minPairs > 0n && { minProperties: Number(value.minPairs) }),
      ...(value.maxPairs > 0n && { maxProperties: Number(value.maxPairs) }),
      ...(value.keys !== undefined && { propertyNames: renderRules(value.keys) }),
    },
    values: value.values,
  };
}

type Keywords = Readonly<Record<string, (value: unknown) => JsonObject>>;

const stringKeywords: Keywords = {
  const: (value) => ({ const: value as string }),
  in: (value) => ({ enum: [...(value as Iterable<string>)] }),
  minLen: (value) => ({ minLength: Number(value) }),
  maxLen: (value) => ({ maxLength: Number(value) }),
  pattern: (value) => ({ pattern: value as string }),
  email: () => ({ pattern: patterns.email }),
  uuid: () => ({ pattern: patterns.uuid }),
  ipv4: () => ({ pattern: patterns.ipv4 }),
  ipv4Prefix: () => ({ pattern: patterns.ipv4Range }),
  ipPrefix: () => ({ pattern: patterns.ipRange }),
};

const integerKeywords: Keywords = {
  const: (value) => ({ const: value as number }),
  in: (value) => ({ enum: [...(value as Iterable<number>)] }),
  gt: (value) => ({ exclusiveMinimum: value as number }),
  gte: (value) => ({ minimum: value as number }),
  lt: (value) => ({ exclusiveMaximum: value as number }),
  lte: (value) => ({ maximum: value as number }),
};

const keywords: Readonly<Record<string, Keywords>> = { string: stringKeywords, int32: integerKeywords };

function listSet(rules: Message, kind: string): [name: string, value: unknown][] {
  const schema = FieldRulesSchema.fields.find((field) => field.localName === kind)?.message as DescMessage;
  const reflected = reflect(schema, rules);
  return schema.fields.filter((field) => reflected.isSet(field)).map((field) => [field.localName, reflected.get(field)]);
}

/** Extends a schema to allow the empty string, which counts as not set. */
function orEmpty(schema: JsonObject): JsonObject {
  const { pattern, minLength, enum: values, ...rest } = schema;
  if (minLength !== undefined) throw new Error("there is no schema for a minimum length that exempts the empty string");
  return {
    ...rest,
    ...(values !== undefined && { enum: ["", ...(values as Json[])] }),
    ...(typeof pattern === "string" && { pattern: `^(?:${pattern.replace(/^\^|\$$/g, "")})?$` }),
  };
}
