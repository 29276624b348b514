import { getOption, hasOption, ScalarType, type DescField, type DescMessage } from "@bufbuild/protobuf";
import type { FieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { immutable, needs_role, passes_identity, output_only, reference, secret } from "../../gen/cloudwright/v1/options_pb.ts";
import type { JsonObject } from "../entities.ts";
import { getComment } from "./comments.ts";
import { readFieldRules, renderListRules, renderMapRules, renderRules } from "./rules.ts";

/** Renders the schema of a message as a reference or inline. */
export type RenderMessage = (message: DescMessage) => JsonObject;

/** Renders the JSON schema of a field with its type, rules, description and options. */
export function renderField(field: DescField, renderMessage: RenderMessage): JsonObject {
  const type = renderType(field, renderMessage);
  const description = describeField(field);
  return {
    ...(isSecret(field) ? { ...type, type: ["string", "null"], writeOnly: true } : type),
    ...(description !== "" && { description }),
    ...(isOutputOnly(field) && { readOnly: true }),
    ...(isMarked(field, immutable) && { "x-immutable": true }),
    ...(hasOption(field, needs_role) && { "x-needs-role": getOption(field, needs_role) }),
    ...(hasOption(field, reference) && { "x-reference": getOption(field, reference) }),
  };
}

export function isOutputOnly(field: DescField): boolean {
  return isMarked(field, output_only);
}

function isSecret(field: DescField): boolean {
  return isMarked(field, secret);
}

function isMarked(field: DescField, option: typeof secret): boolean {
  return hasOption(field, option) && getOption(field, option);
}

function describeField(field: DescField): string {
  const notes = [
    getComment(field),
    isMarked(field, immutable) ? "Cannot be changed after creation." : "",
    hasOption(field, needs_role) ? `Setting or changing it requires the ${getOption(field, needs_role)} role.` : "",
    isMarked(field, passes_identity)
      ? "Setting or changing it requires the admin role, unless the account allows the identity."
      : "",
    isSecret(field) ? "Never returned. Omit it to keep the stored value; send null to clear it." : "",
  ];
  return notes.filter((note) => note !== "").join(" ");
}

function renderType(field: DescField, renderMessage: RenderMessage): JsonObject {
  const rules = readFieldRules(field);
  if (field.fieldKind === "list") {
    const { list, items } = renderListRules(rules);
    return { type: "array", items: renderValue(field, items, renderMessage), ...list };
  }
  if (field.fieldKind === "map") {
    const { map, values } = renderMapRules(rules);
    return { type: "object", additionalProperties: renderValue(field, values, renderMessage), ...map };
  }
  return renderValue(field, rules, renderMessage);
}

function renderValue(field: DescField, rules: FieldRules | undefined, renderMessage: RenderMessage): JsonObject {
  if (field.message !== undefined) return wellKnown[field.message.typeName] ?? renderMessage(field.message);
  const type = field.scalar === undefined ? undefined : scalars[field.scalar];
  if (type === undefined) throw new Error(`no schema for the type of ${field.toString()}`);
  return { ...type, ...renderRules(rules) };
}

// 64-bit integers, bytes and enums are omitted on purpose. The contract does not use them, because their JSON forms surprise callers.
const scalars: Partial<Record<ScalarType, JsonObject>> = {
  [ScalarType.BOOL]: { type: "boolean" },
  [ScalarType.DOUBLE]: { type: "number", format: "double" },
  [ScalarType.INT32]: { type: "integer", format: "int32" },
  [ScalarType.STRING]: { type: "string" },
};

const wellKnown: Readonly<Record<string, JsonObject>> = {
  "google.protobuf.FieldMask": { type: "string" },
  "google.protobuf.Struct": { type: "object", additionalProperties: true },
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  // Any JSON.
  "google.protobuf.Value": {},
};
