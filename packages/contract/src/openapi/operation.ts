import { getEntitySchema, type JsonObject } from "../entities.ts";
import { getKind, isEntityKind } from "../kinds.ts";
import { methods, type HttpBinding, type Method } from "../methods.ts";
import { getComment } from "./comments.ts";
import { entityExamples, patchExample, requestExamples } from "./examples.ts";
import { renderField } from "./field-schema.ts";
import type { MessageSchemas } from "./message-schemas.ts";
import { listBodyFields, listPathFields, renderParameters } from "./parameters.ts";
import { referProblems } from "./problems.ts";

/** Renders the OpenAPI operation for one REST binding of a method. */
export function renderOperation(method: Method, binding: HttpBinding, schemas: MessageSchemas): JsonObject {
  const { descriptor, role, platform } = method;
  const watchable = isWatchable(method);
  const comment = getComment(descriptor);
  const parameters = renderParameters(method, binding, watchable);
  return {
    operationId: nameOperation(method, binding),
    tags: [descriptor.parent.name],
    summary: summarize(comment, binding),
    description: `${comment} ${describeRole(method)}`,
    ...(parameters.length > 0 && { parameters }),
    ...renderBody(method, binding, schemas),
    responses: { ...renderSuccess(method, binding, schemas), ...referProblems(watchable || method.streaming) },
    ...(role === "public" && { security: [] }),
    "x-role": role,
    ...(platform && { "x-platform": true }),
    "x-rpc": method.id,
  };
}

/** Returns the operation id, which is the RPC's name. The PUT binding of an update needs a different id from the PATCH binding. */
function nameOperation({ descriptor, verb }: Method, binding: HttpBinding): string {
  const name = verb === "update" && binding.method === "PUT" ? descriptor.name.replace(/^Update/, "Replace") : descriptor.name;
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function summarize(comment: string, { method }: HttpBinding): string {
  const first = comment.replace(/[.:]( .*)?$/s, "");
  return method === "PUT" ? first.replace(/^Updates/, "Replaces") : first;
}

function describeRole({ role, platform }: Method): string {
  if (role === "public") return "No authentication required.";
  if (role === "authenticated") return "Available to every authenticated caller, limited to the caller's own entities.";
  return `Minimum role: ${role}${platform ? ", platform-wide" : ""}.`;
}

/** Returns whether the method is a list that also accepts `watch=true`. */
function isWatchable({ verb, kind }: Method): boolean {
  return verb === "list" && methods.some((other) => other.verb === "watch" && other.kind === kind);
}

function renderBody(method: Method, binding: HttpBinding, schemas: MessageSchemas): JsonObject {
  const { input } = method.descriptor;
  if (binding.body === "") return {};
  if (binding.body === "*") {
    if (listPathFields(input, binding).length === 0) {
      const example = requestExamples[input.name];
      const media: JsonObject = { schema: schemas.refer(input), ...(example !== undefined && { example }) };
      return { requestBody: { required: true, content: { "application/json": media } } };
    }
    const rest = listBodyFields(input, binding).map((field) => [field.jsonName, renderField(field, schemas.refer)]);
    const properties: JsonObject =
      rest.length > 0 ? { properties: Object.fromEntries(rest) as JsonObject } : { maxProperties: 0 };
    const schema = { type: "object", additionalProperties: false, ...properties };
    return { requestBody: { required: false, content: { "application/json": { schema } } } };
  }
  const { kind } = method;
  if (binding.method === "PATCH") {
    const media: JsonObject = { schema: schemas.referPatch(getEntitySchema(kind)), example: patchExample };
    const content = { "application/merge-patch+json": media, "application/json": media };
    return { requestBody: { required: true, content } };
  }
  const example = entityExamples[kind];
  const media: JsonObject = { schema: schemas.refer(getEntitySchema(kind)), ...(example !== undefined && { example }) };
  return { requestBody: { required: true, content: { "application/json": media } } };
}

function renderSuccess(method: Method, binding: HttpBinding, schemas: MessageSchemas): JsonObject {
  if (method.streaming) {
    schemas.refer(method.descriptor.output);
    return { 200: { description: streamDescription, content: stream } };
  }
  const content: JsonObject = { "application/json": { schema: schemas.refer(method.descriptor.output) } };
  if (method.verb === "list") {
    if (!isWatchable(method)) return { 200: { description: "One page of results.", content } };
    return {
      200: {
        description: `One page of results, or a stream if \`watch=true\`. ${streamDescription}`,
        content: { ...content, ...stream },
      },
    };
  }
  // Checking for, accepting or correcting drift starts work on the entity, so the response is 202.
  if (method.kind === "Drift" && method.verb !== "get") {
    const headers = { Location: location, "Operation-Location": operationLocation };
    return { 202: { description: acceptedDescription, headers, content } };
  }
  if (!isEntityKind(method.kind)) {
    return method.verb === "create"
      ? { 201: { description: "Created.", content } }
      : { 200: { description: "Success.", content } };
  }
  const { provisioned } = getKind(method.kind);
  const acceptedHeaders = { Location: location, "Operation-Location": operationLocation, ETag: etag };
  const accepted: JsonObject = { 202: { description: acceptedDescription, headers: acceptedHeaders, content } };
  if (getKind(method.kind).isRecord === true && method.verb !== "get") return accepted;
  const created: JsonObject = provisioned
    ? accepted
    : { 201: { description: "Created.", headers: { Location: location, ETag: etag }, content } };
  if (method.verb === "create") {
    return { 200: { description: "The entity that would be created. Returned only with `dryRun=true`.", content }, ...created };
  }
  if (method.verb === "delete") {
    return { 200: { description: "The entity before it was deleted.", content }, ...(provisioned && accepted) };
  }
  const changed = { 200: { description: "The entity after the change.", headers: { ETag: etag }, content } };
  if (binding.method === "PUT") return { ...changed, ...created };
  return startingWork.has(method.verb) && provisioned ? { ...changed, ...accepted } : changed;
}

/** Verbs that change a spec, and so start work on entities with infrastructure. */
const startingWork: ReadonlySet<string> = new Set(["update", "upgrade", "attach", "detach"]);

const streamDescription =
  "A continuous stream of server-sent events. The data of each event is a WatchEvent in JSON. If an error occurs, an ERROR event with a Problem ends the stream.";
const stream: JsonObject = { "text/event-stream": { schema: { type: "string" } } };
const acceptedDescription = "Accepted. The work continues in the background; the operation shows its progress.";
const operationLocation: JsonObject = {
  description: "Path of the operation that tracks the change.",
  schema: { type: "string" },
};
const location: JsonObject = { description: "Path of the entity.", schema: { type: "string" } };
const etag: JsonObject = { description: "The entity's resourceVersion, for If-Match.", schema: { type: "string" } };
