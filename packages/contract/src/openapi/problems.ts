import type { JsonObject } from "../entities.ts";

/** The schema of every error answer: a problem document of RFC 9457. */
export const problemSchema: JsonObject = {
  type: "object",
  description: "A problem document (RFC 9457).",
  properties: {
    type: { type: "string", format: "uri-reference", description: "Identifies the type of problem; links to its documentation." },
    title: { type: "string", description: "The type of problem in a few words." },
    status: { type: "integer", minimum: 400, maximum: 599 },
    detail: { type: "string", description: "What, where, with which input." },
    instance: { type: "string", description: "The path of the request." },
    code: { type: "string", description: "For programs: `package.reason`, one of the documented fault codes." },
    help: { type: "string", description: "What to do next." },
    retry: {
      type: "string",
      enum: ["never", "backoff", "after"],
      description: "Whether to retry the same request: never, with growing pauses, or after the given time.",
    },
    requestId: { type: "string", description: "Identifies this request in the server's log and in the audit log." },
    fields: {
      type: "array",
      description: "The invalid parts of the input.",
      items: {
        type: "object",
        properties: {
          field: { type: "string", description: "Path as the caller wrote it, for example `spec.cidr`." },
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

/** The error answers by the name under which operations refer to them. */
export const problemResponses: JsonObject = {
  BadRequest: renderProblem("The request is malformed or breaks a rule; `fields` names each invalid part."),
  Unauthenticated: renderProblem("No credential, or one that is unknown, expired or revoked."),
  Denied: renderProblem("The caller lacks the role that the method requires."),
  NotFound: renderProblem("The entity does not exist, or the caller has no access to it."),
  Conflict: renderProblem(
    "The entity exists already, has changed since it was read, has children, or does not allow this change.",
  ),
  Gone: renderProblem("The resourceVersion to resume from is too old: list again and watch from there."),
  TooLarge: renderProblem("The body is larger than the server accepts."),
  UnsupportedMediaType: renderProblem("The method does not accept the body's content type."),
  DeniedByPolicy: renderProblem("A policy of the platform denies the entity; `fields` names each affected part."),
  TooManyRequests: renderProblem("The caller exceeded the rate limit.", retryAfter),
  Unavailable: renderProblem("The server is temporarily unavailable.", retryAfter),
  Failed: renderProblem("Any other error."),
};

/**
 * Returns references to the error answers that any operation can give. `watchable` adds the one for positions that are too old.
 */
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
