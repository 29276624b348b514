import { isObject } from "@cloudwright/platform/json";
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { Json, JsonObject } from "../entities.ts";
import { isOutputOnly, renderField, type RenderMessage } from "./field-schema.ts";
import { listRequired } from "./presence.ts";

/**
 * Renders the schema of a merge patch (RFC 7396) for an entity. All writable fields are optional, and null clears a field. Lists are
 * replaced as a whole, so their items are complete messages.
 */
export function renderPatch(message: DescMessage, refer: RenderMessage): JsonObject {
  const sections = message.fields.filter((field) => !isOutputOnly(field));
  return {
    type: "object",
    description: `Fields of the ${message.name} to change. Set a field to null to clear it.`,
    properties: Object.fromEntries(sections.map((field) => [field.jsonName, renderPart(field, refer)])),
    additionalProperties: false,
  };
}

function renderPart(field: DescField, refer: RenderMessage): JsonObject {
  const render: RenderMessage = field.fieldKind === "list" ? refer : (message) => renderParts(message, refer);
  return renderField(field, render);
}

function renderParts(message: DescMessage, refer: RenderMessage): JsonObject {
  const fields = message.fields.filter((field) => !isOutputOnly(field));
  const required = listRequired(message);
  const properties = fields.map((field) => {
    const schema = renderPart(field, refer);
    return [field.jsonName, required.includes(field.jsonName) ? schema : orNull(schema)] as const;
  });
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}

function orNull(schema: JsonObject): JsonObject {
  const { type, enum: values, additionalProperties } = schema;
  return {
    ...schema,
    ...(typeof type === "string" && { type: [type, "null"] }),
    ...(values !== undefined && { enum: [...(values as Json[]), null] }),
    ...(isObject(additionalProperties) && { additionalProperties: orNull(additionalProperties) }),
  };
}
