import type { JsonObject } from "../entities.ts";
import { referProblems } from "./problems.ts";

/** Paths without an RPC: browser sessions, health, metrics, public keys and the OpenAPI document itself. */
export const systemPaths: JsonObject = {
  "/v1/session": {
    post: {
      operationId: "createSession",
      tags: ["Session"],
      summary: "Logs in a browser",
      description: "Exchanges an API key for a session cookie.",
      security: [],
      requestBody: {
        required: true,
        content: { "application/json": { schema: refer("Login"), example: { key: "an API key" } } },
      },
      responses: {
        200: {
          description: "Logged in.",
          headers: { "Set-Cookie": { description: "`cloudwright_session`, HttpOnly and SameSite.", schema: { type: "string" } } },
          content: { "application/json": { schema: refer("Session") } },
        },
        ...referProblems(false),
      },
      "x-role": "public",
    },
    get: {
      operationId: "getSession",
      tags: ["Session"],
      summary: "Shows the signed-in user",
      description: "Returns the session's user and expiry time.",
      security: [{ session: [] }],
      responses: {
        200: { description: "The session.", content: { "application/json": { schema: refer("Session") } } },
        ...referProblems(false),
      },
      "x-role": "authenticated",
    },
    delete: {
      operationId: "deleteSession",
      tags: ["Session"],
      summary: "Logs out",
      description: "Ends the session and clears the cookie.",
      security: [{ session: [] }],
      parameters: [{ $ref: "#/components/parameters/Csrf" }],
      responses: { 204: { description: "Logged out." }, ...referProblems(false) },
      "x-role": "authenticated",
    },
  },
  "/healthz": { get: renderProbe("getHealth", "Reports whether the process is alive") },
  "/readyz": { get: renderProbe("getReadiness", "Reports whether the server is ready") },
  "/metrics": {
    get: {
      operationId: "getMetrics",
      tags: ["System"],
      summary: "Metrics in the Prometheus text format",
      description: "Requires the viewer role on the whole platform.",
      responses: {
        200: { description: "Success.", content: { "text/plain": { schema: { type: "string" } } } },
        ...referProblems(false),
      },
      "x-role": "viewer",
    },
  },
  "/openapi.json": {
    get: renderPublic("getOpenApi", "This OpenAPI document", { "application/json": { schema: { type: "object" } } }),
  },
  "/.well-known/jwks.json": {
    get: renderPublic("getJwks", "Public keys for verifying tokens", {
      "application/json": { schema: refer("JsonWebKeySet") },
    }),
  },
};

/** Schemas that only the system paths use. */
export const systemSchemas: JsonObject = {
  Login: {
    type: "object",
    description: "Credential for a browser login.",
    properties: { key: { type: "string", minLength: 1, maxLength: 512, writeOnly: true, description: "An API key." } },
    required: ["key"],
    additionalProperties: false,
  },
  Session: {
    type: "object",
    description: "A browser session.",
    properties: {
      user: { type: "string", description: "The user of the session." },
      expiresAt: { type: "string", format: "date-time" },
    },
    required: ["user", "expiresAt"],
  },
  Probe: {
    type: "object",
    description: "Result of a health check.",
    properties: { status: { type: "string" } },
    required: ["status"],
  },
  JsonWebKeySet: {
    type: "object",
    description: "A JSON Web Key Set (RFC 7517).",
    properties: { keys: { type: "array", items: { type: "object" } } },
    required: ["keys"],
  },
};

function renderProbe(operationId: string, summary: string): JsonObject {
  return renderPublic(operationId, summary, { "application/json": { schema: refer("Probe") } });
}

function renderPublic(operationId: string, summary: string, content: JsonObject): JsonObject {
  return {
    operationId,
    tags: ["System"],
    summary,
    security: [],
    responses: { 200: { description: "Success.", content }, ...referProblems(false) },
    "x-role": "public",
  };
}

function refer(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}
