import type { JsonObject } from "./entities.ts";
import { getComment } from "./openapi/comments.ts";
import { createMessageSchemas, type MessageSchemas } from "./openapi/message-schemas.ts";
import { renderOperation } from "./openapi/operation.ts";
import { headerParameters } from "./openapi/parameters.ts";
import { problemResponses, problemSchema } from "./openapi/problems.ts";
import { systemPaths, systemSchemas } from "./openapi/system-paths.ts";
import { methods } from "./methods.ts";
import { services } from "./services.ts";

export { entityExamples, localExamples } from "./openapi/examples.ts";
export { renderReferencePage } from "./openapi/reference-page.ts";

interface OpenApiOptions {
  /** Product version. */
  readonly version: string;
  /** URL of the server (default: the origin that serves the document). */
  readonly serverUrl?: string;
}

/** Renders the REST API as an OpenAPI 3.1 document. Everything is derived from the proto files and their comments. */
export function renderOpenApi({ version, serverUrl = "/" }: OpenApiOptions): JsonObject {
  const schemas = createMessageSchemas();
  const paths = { ...renderPaths(schemas), ...systemPaths };
  return {
    openapi: "3.1.0",
    info: { title: "Cloudwright API", version, description, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }, { session: [] }],
    tags: [
      ...services.map((service) => ({ name: service.name, description: getComment(service) })),
      { name: "Session", description: "Browser sessions." },
      { name: "System", description: "Health, metrics, keys and this document." },
    ],
    paths,
    components: {
      schemas: { ...schemas.list(), ...systemSchemas, Problem: problemSchema },
      parameters: headerParameters,
      responses: problemResponses,
      securitySchemes,
    },
  };
}

function renderPaths(schemas: MessageSchemas): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const operation of methods) {
    for (const binding of operation.bindings) {
      (paths[binding.path] ??= {})[binding.method.toLowerCase()] = renderOperation(operation, binding, schemas);
    }
  }
  return paths;
}

const description = `Kubernetes clusters in your own cloud accounts.

Entities have \`metadata\`, \`spec\` (the desired state) and \`status\` (the observed state). Requests can refer to an entity
by name or uid. Unknown fields and unknown query parameters are rejected. Read-only fields are ignored in requests. Write-only fields
are never returned. An update with \`metadata.resourceVersion\` or \`If-Match\` fails with 409 if the entity has changed since it was read.`;

const securitySchemes: JsonObject = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "An API key, or a token that this server issued for the audience `cloudwright`.",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "cloudwright_session",
    description:
      "A browser session; see `POST /v1/session`. Requests that change something must also send the header `X-Cloudwright-Csrf` with any value.",
  },
};
