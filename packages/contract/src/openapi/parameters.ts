import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { WatchRequestSchema } from "../../gen/cloudwright/v1/requests_pb.ts";
import type { JsonObject } from "../entities.ts";
import { getKind, isEntityKind } from "../kinds.ts";
import type { HttpBinding, Method } from "../methods.ts";
import { getComment } from "./comments.ts";
import { renderField } from "./field-schema.ts";
import { patterns } from "./patterns.ts";

/** Renders the path, query and header parameters of one REST binding. */
export function renderParameters(method: Method, binding: HttpBinding, watchable: boolean): JsonObject[] {
  const { input } = method.descriptor;
  return [
    ...listPathFields(input, binding).map(renderPathParameter),
    ...listQueryFields(method, binding).map(renderQueryParameter),
    ...(watchable ? [watchParameter, resumeParameter] : []),
    ...renderHeaders(method, binding, watchable || method.streaming),
  ];
}

/** Lists the request fields in a path template, from left to right. */
export function listPathFields(input: DescMessage, { path }: HttpBinding): DescField[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    const field = input.fields.find((candidate) => candidate.name === name);
    if (field === undefined) throw new Error(`${path} names ${name}, which ${input.typeName} does not have`);
    return field;
  });
}

/** Lists the request fields in the body of a method whose body is the whole request. Path fields, project and parent are excluded. */
export function listBodyFields(input: DescMessage, binding: HttpBinding): DescField[] {
  const taken = listPathFields(input, binding);
  return input.fields.filter((field) => !taken.includes(field) && field.name !== "project" && field.name !== "parent");
}

/** Lists the request fields that become query parameters for this kind. */
function listQueryFields({ descriptor, kind, verb }: Method, binding: HttpBinding): DescField[] {
  if (binding.body === "*") return [];
  const taken = listPathFields(descriptor.input, binding);
  return descriptor.input.fields.filter((field) => {
    if (taken.includes(field) || field.name === binding.body) return false;
    if (field.name === "project") return false;
    if (field.name === "parent") return verb === "list" && hasParent(kind);
    if (field.name === "label_selector" || field.name === "order_by")
      return kind === "*" || (isEntityKind(kind) && getKind(kind).hasPlainList !== true);
    if (field.name === "allow_missing") return binding.method === "PUT";
    if (field.name === "force" || field.name === "volumes") return isEntityKind(kind) && getKind(kind).provisioned;
    if (field.name === "preview") return isEntityKind(kind) && getKind(kind).hasRemovalPreview === true;
    if (field.name === "update_mask") return binding.method === "PATCH";
    return true;
  });
}

function hasParent(name: string): boolean {
  return isEntityKind(name) && getKind(name).parent !== undefined;
}

function renderPathParameter(field: DescField): JsonObject {
  const { description, ...schema } = renderPlain(field);
  return {
    name: field.jsonName,
    in: "path",
    required: true,
    ...(description !== undefined && { description }),
    schema: { ...schema, minLength: 1, pattern: patterns.nameOrUid },
  };
}

function renderQueryParameter(field: DescField): JsonObject {
  const { description, ...schema } = renderPlain(field);
  const list = field.fieldKind === "list" && { style: "form", explode: false };
  return { name: field.jsonName, in: "query", ...(description !== undefined && { description }), ...list, schema };
}

function renderPlain(field: DescField): JsonObject {
  return renderField(field, (message) => {
    throw new Error(`${field.toString()}: a ${message.typeName} cannot be a parameter`);
  });
}

const watchParameter: JsonObject = {
  name: "watch",
  in: "query",
  description:
    "Stream changes as server-sent events instead of returning a list. Can be combined only with `resourceVersion`, `labelSelector` and, where available, `parent`.",
  schema: { type: "boolean" },
};

const resumeParameter: JsonObject = {
  ...renderQueryParameter(WatchRequestSchema.field.resourceVersion),
  description: `Requires \`watch=true\`. ${getComment(WatchRequestSchema.field.resourceVersion)}`,
};

function renderHeaders({ verb }: Method, { method, body }: HttpBinding, streams: boolean): JsonObject[] {
  if (streams) return [{ $ref: "#/components/parameters/LastEventId" }];
  if (verb === "create" && body !== "*") return [{ $ref: "#/components/parameters/IdempotencyKey" }];
  return method === "PUT" || method === "PATCH" || method === "DELETE" ? [{ $ref: "#/components/parameters/IfMatch" }] : [];
}

/** Header parameters that operations reference by name. */
export const headerParameters: JsonObject = {
  Csrf: {
    name: "X-Cloudwright-Csrf",
    in: "header",
    required: true,
    description: "Any value. Protects against cross-site request forgery, because other sites cannot send this header.",
    schema: { type: "string", minLength: 1 },
  },
  LastEventId: {
    name: "Last-Event-ID",
    in: "header",
    description:
      "Position from which to resume a stream. Browsers send it when they reconnect. Takes precedence over `resourceVersion`.",
    schema: { type: "string", maxLength: 64 },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Key chosen by the caller. Repeating a request with the same key does not create a second entity and returns the same response.",
    schema: { type: "string", minLength: 1, maxLength: 128 },
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description: "ETag or resourceVersion that the entity must have. Otherwise, the request fails with 409.",
    schema: { type: "string", maxLength: 128 },
  },
};
