import type { JsonObject } from "../entities.ts";

/** The schema of every error answer: a problem document of RFC 9457. */
export const problemSchema: JsonObject = {
  type: "object",
  description: "A problem document (RFC 9457).",
  properties: {
    type: { type: "string", format: "uri-reference", description: "Names the sort of problem; the place it is explained." },
    title: { type: "string", description: "The sort of problem in a few words." },
    status: { type: "integer", minimum: 400, maximum: 599 },
    detail: { type: "string", description: "What, where, with which input." },
    instance: { type: "string", description: "The path that was called." },
    code: { type: "string", description: "For programs: `room.reason`, one of the documented fault codes." },
    help: { type: "string", description: "What the reader can do." },
    retry: {
      type: "string",
      enum: ["never", "backoff", "after"],
      description: "Whether the same call can help later: never, with growing pauses, or after the stated time.",
    },
    requestId: { type: "string", description: "Finds this call in the server's log and in the audit log." },
    fields: {
      type: "array",
      description: "The parts of the input that were wrong.",
      items: {
        type: "object",
        properties: {
          field: { type: "string", description: "Path in the caller's own words, for example `spec.cidr`." },
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
  "Retry-After": { description: "Seconds to wait before the next try.", schema: { type: "integer", minimum: 0 } },
};

/** The error answers, by the name under which operations refer to them. */
export const problemResponses: JsonObject = {
  BadRequest: renderProblem("The request is malformed or breaks a rule; `fields` names each wrong part."),
  Unauthenticated: renderProblem("No credential, or one that is unknown, expired or revoked."),
  Denied: renderProblem("The caller lacks the role that the operation asks for."),
  NotFound: renderProblem("There is no such entity in what the caller can see."),
  Conflict: renderProblem("It exists already, has changed since it was read, has children, or cannot be changed so."),
  Gone: renderProblem("The resourceVersion to resume from is too old: list again and watch from there."),
  TooLarge: renderProblem("The body is larger than the server takes."),
  UnsupportedMediaType: renderProblem("The body's content type is not one that the operation takes."),
  DeniedByPolicy: renderProblem("A policy of the platform denies it; `fields` names each part that one speaks of."),
  TooManyRequests: renderProblem("The caller has called too often.", retryAfter),
  Unavailable: renderProblem("The server cannot answer at the moment.", retryAfter),
  Failed: renderProblem("Anything else that went wrong."),
};

/** References to the error answers that any operation can give; `watchable` adds the one for positions that are too old. */
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
