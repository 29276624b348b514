import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { WatchRequestSchema } from "../../gen/cloudwright/v1/requests_pb.ts";
import type { JsonObject } from "../entities.ts";
import { getKind, isEntityKind } from "../kinds.ts";
import type { HttpBinding, Method } from "../methods.ts";
import { getComment } from "./comments.ts";
import { renderField } from "./field-schema.ts";
import { patterns } from "./patterns.ts";

/** Renders the parameters of one REST binding: path fields, remaining fields as query parameters, and headers. */
export function renderParameters(method: Method, binding: HttpBinding, watchable: boolean): JsonObject[] {
  const { input } = method.descriptor;
  return [
    ...listPathFields(input, binding).map(renderPathParameter),
    ...listQueryFields(method, binding).map(renderQueryParameter),
    ...(watchable ? [watchParameter, resumeParameter] : []),
    ...renderHeaders(method, binding, watchable || method.streaming),
  ];
}

/** Lists the request fields in a path, in its order. */
export function listPathFields(input: DescMessage, { path }: HttpBinding): DescField[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    const field = input.fields.find((candidate) => candidate.name === name);
    if (field === undefined) throw new Error(`${path} names ${name}, which ${input.typeName} does not have`);
    return field;
  });
}

/**
 * Lists the request fields in a body that is the whole request, without those in the path. Project and parent are only named by
 * paths.
 */
export function listBodyFields(input: DescMessage, binding: HttpBinding): DescField[] {
  const taken = listPathFields(input, binding);
  return input.fields.filter((field) => !taken.includes(field) && field.name !== "project" && field.name !== "parent");
}

/** Lists the request fields that neither path nor body fills and that apply to this kind. */
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
    if (field.name === "force") return isEntityKind(kind) && getKind(kind).provisioned;
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
    "Stream changes as server-sent events instead of listing. Beside it only `resourceVersion`, `labelSelector` and, where offered, `parent` are taken.",
  schema: { type: "boolean" },
};

const resumeParameter: JsonObject = {
  ...renderQueryParameter(WatchRequestSchema.field.resourceVersion),
  description: `Only with \`watch=true\`. ${getComment(WatchRequestSchema.field.resourceVersion)}`,
};

function renderHeaders({ verb }: Method, { method, body }: HttpBinding, streams: boolean): JsonObject[] {
  if (streams) return [{ $ref: "#/components/parameters/LastEventId" }];
  if (verb === "create" && body !== "*") return [{ $ref: "#/components/parameters/IdempotencyKey" }];
  return method === "PUT" || method === "PATCH" || method === "DELETE" ? [{ $ref: "#/components/parameters/IfMatch" }] : [];
}

/** The header parameters that operations refer to. */
export const headerParameters: JsonObject = {
  Csrf: {
    name: "X-Cloudwright-Csrf",
    in: "header",
    required: true,
    description: "Any value. Pages of other sites cannot send this header.",
    schema: { type: "string", minLength: 1 },
  },
  LastEventId: {
    name: "Last-Event-ID",
    in: "header",
    description: "Sent by browsers that reconnect. Resumes a stream as `resourceVersion` does, and takes precedence over it.",
    schema: { type: "string", maxLength: 64 },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description: "Chosen by the caller. Repeating the call with the same key creates nothing twice and returns the same answer.",
    schema: { type: "string", minLength: 1, maxLength: 128 },
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description: "The ETag or resourceVersion that the entity must still have; otherwise 409.",
    schema: { type: "string", maxLength: 128 },
  },
};
