import { create, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { validate } from "../validate.ts";

/** Lists the fields that a caller must set for a message to be valid. */
export function listRequired(message: DescMessage): string[] {
  const refused = new Set(validate(message, create(message)).map(({ field }) => field));
  return message.fields.map((field) => field.jsonName).filter((name) => refused.has(name));
}

/**
 * Lists the fields that every response contains: required fields, and fields without presence, which are sent even if they are zero or
 * empty.
 */
export function listEmitted(message: DescMessage): string[] {
  const needed = listRequired(message);
  const always = message.fields.filter((field) => !hasPresence(field) || needed.includes(field.jsonName));
  return always.map((field) => field.jsonName);
}

function hasPresence(field: DescField): boolean {
  if (field.fieldKind === "list" || field.fieldKind === "map") return false;
  return field.presence !== FeatureSet_FieldPresence.IMPLICIT;
}
