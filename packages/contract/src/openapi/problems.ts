import type { JsonObject } from "../entities.ts";

/** Schema of every error response: a problem document (RFC 9457). */
export const problemSchema: JsonObject = {
  type: "object",
  description: "A problem document (RFC 9457).",
  properties: {
    type: { type: "string", format: "uri-reference", description: "URI of the problem type. It links to the documentation." },
    title: { type: "string", description: "Short name of the problem type." },
    status: { type: "integer", minimum: 400, maximum: 599 },
    detail: { type: "string", description: "What went wrong, and with which input." },
    instance: { type: "string", description: "Path of the request." },
    code: { type: "string", description: "Fault code in the form `package.reason`." },
    help: { type: "string", description: "How to fix the problem." },
    retry: {
      type: "string",
      enum: ["never", "backoff", "after"],
      description: "Whether to retry the request: never, with exponential backoff, or after the time in `Retry-After`.",
    },
    requestId: { type: "string", description: "Id of the request in the server log and the audit log." },
    fields: {
      type: "array",
      description: "Fields of the request that are invalid.",
      items: {
        type: "object",
        properties: {
          field: { type: "string", description: "Path of the field, for example `spec.cidr`." },
          message: { type: "string" },
        },
        required: ["field", "message"],
      },
    },
  },
  required: ["type", "title", "status", "code"],
  additionalProperties: true,
};

const retryAfter: JsonObject = {
  "Retry-After": { description: "Seconds to wait before the next attempt.", schema: { type: "integer", minimum: 0 } },
};

/** Error responses, keyed by the name that operations use to reference them. */
export const problemResponses: JsonObject = {
  BadRequest: renderProblem("The request is malformed or violates a rule. `fields` lists the invalid fields."),
  Unauthenticated: renderProblem("The credential is missing, unknown, expired or revoked."),
  Denied: renderProblem("The caller lacks the role that the method requires."),
  NotFound: renderProblem("The entity does not exist, or the caller has no access to it."),
  Conflict: renderProblem(
    "The entity already exists, has changed since it was read, has children, or does not allow this change.",
  ),
  Gone: renderProblem("The resourceVersion is too old to resume from. List the entities again and watch from the new version."),
  TooLarge: renderProblem("The body is larger than the server accepts."),
  UnsupportedMediaType: renderProblem("The server does not accept the content type of the body."),
  DeniedByPolicy: renderProblem("A policy denies the entity. `fields` lists the affected fields."),
  TooManyRequests: renderProblem("The caller exceeded the rate limit.", retryAfter),
  Unavailable: renderProblem("The server is temporarily unavailable.", retryAfter),
  Failed: renderProblem("Any other error."),
};

/** Returns references to the error responses that any operation can return. `watchable` adds 410 for watch positions that are too old. */
export function referProblems(watchable: boolean): JsonObject {
  return {
    400: refer("BadRequest"),
    401: refer("Unauthenticated"),
    403: refer("Denied"),
    404: refer("NotFound"),
    409: refer("Conflict"),
    ...(watchable && { 410: refer("Gone") }),
    413: refer("TooLarge"),
    415: refer("UnsupportedMediaType"),
    422: refer("DeniedByPolicy"),
    429: refer("TooManyRequests"),
    503: refer("Unavailable"),
    default: refer("Failed"),
  };
}

function refer(name: string): JsonObject {
  return { $ref: `#/components/responses/${name}` };
}

function renderProblem(description: string, headers?: JsonObject): JsonObject {
  const content = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };
  return { description, ...(headers !== undefined && { headers }), content };
}
