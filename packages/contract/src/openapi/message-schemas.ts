import { getOption, hasOption, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { message as messageOption } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { getEntitySchema, type JsonObject } from "../entities.ts";
import { kinds } from "../kinds.ts";
import { methods } from "../methods.ts";
import { getComment } from "./comments.ts";
import { isOutputOnly, renderField } from "./field-schema.ts";
import { renderPatch } from "./patch-schema.ts";
import { listEmitted, listRequired } from "./presence.ts";

/** Collects the component schemas of all messages that the document references. */
export interface MessageSchemas {
  /** Returns a `$ref` to the message's schema. */
  refer(message: DescMessage): JsonObject;
  /** Returns a `$ref` to the schema of a merge patch for an entity. */
  referPatch(entity: DescMessage): JsonObject;
  /** Returns all referenced schemas by name. */
  list(): JsonObject;
}

/** Creates an empty collection. Requests and responses share one schema per message, with readOnly and writeOnly fields. */
export function createMessageSchemas(): MessageSchemas {
  const schemas: JsonObject = {};
  const add = (name: string, render: () => JsonObject): JsonObject => {
    if (schemas[name] === undefined) {
      // The schema is registered before it is filled, so that a message can refer to itself.
      const schema: JsonObject = (schemas[name] = {});
      Object.assign(schema, render());
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  const refer = (message: DescMessage) => add(message.name, () => renderMessage(message, refer));
  const referPatch = (entity: DescMessage) => add(`${entity.name}Patch`, () => renderPatch(entity, refer));
  const list = () => Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return { refer, referPatch, list };
}

function renderMessage(message: DescMessage, refer: (message: DescMessage) => JsonObject): JsonObject {
  const description = getComment(message);
  const rules = readMessageRules(message);
  const isRequest = requestMessages.has(message.typeName);
  const required = isRequest || storedMessages.has(message.typeName) ? listRequired(message) : listEmitted(message);
  return {
    type: "object",
    ...(description !== "" && { description }),
    properties: Object.fromEntries(message.fields.map((field) => [field.jsonName, renderField(field, refer)])),
    ...(required.length > 0 && { required }),
    ...(isRequest && { additionalProperties: false }),
    ...renderOneofs(message),
    ...(rules.length > 0 && { "x-rules": rules }),
  };
}

/** Returns descriptions of the rules that span several fields. JSON Schema cannot express these rules. */
function readMessageRules(message: DescMessage): string[] {
  return hasOption(message, messageOption) ? getOption(message, messageOption).cel.map((rule) => rule.message) : [];
}

/** Allows at most one member of each oneof, because proto3 JSON rejects more than one. */
function renderOneofs(message: DescMessage): JsonObject {
  const pairs = message.oneofs.flatMap(({ fields }) =>
    fields.flatMap((first, index) => fields.slice(index + 1).map((second) => ({ required: [first.jsonName, second.jsonName] }))),
  );
  return pairs.length > 0 ? { not: { anyOf: pairs } } : {};
}

/** Messages that callers send. The server rejects unknown fields in these messages but may add fields to all others. */
const requestMessages = collectMessages(
  methods.map(({ descriptor }) => descriptor.input),
  (field) => !isOutputOnly(field),
);

/** Messages that are stored as part of an entity. Fields added later can be missing from stored messages. */
const storedMessages = collectMessages(
  kinds.map(({ kind }) => getEntitySchema(kind)),
  () => true,
);

function collectMessages(roots: readonly DescMessage[], follow: (field: DescField) => boolean): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (message: DescMessage): void => {
    if (found.has(message.typeName) || !message.typeName.startsWith("cloudwright.")) return;
    found.add(message.typeName);
    for (const field of message.fields) {
      if (field.message !== undefined && follow(field)) visit(field.message);
    }
  };
  for (const message of roots) visit(message);
  return found;
}
