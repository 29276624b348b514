import type { JsonObject } from "./entities.ts";
import { getComment } from "./openapi/comments.ts";
import { createMessageSchemas, type MessageSchemas } from "./openapi/message-schemas.ts";
import { renderOperation } from "./openapi/operation.ts";
import { headerParameters } from "./openapi/parameters.ts";
import { problemResponses, problemSchema } from "./openapi/problems.ts";
import { systemPaths, systemSchemas } from "./openapi/system-paths.ts";
import { methods } from "./methods.ts";
import { services } from "./services.ts";

export { entityExamples } from "./openapi/examples.ts";
export { renderReferencePage } from "./openapi/reference-page.ts";

interface OpenApiOptions {
  /** Version of the product. */
  readonly version: string;
  /** The URL of the server. Default: the origin of the document. */
  readonly serverUrl?: string;
}

/** Renders the REST API as an OpenAPI 3.1 document, from the methods, messages, rules and comments of the proto files. */
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
      { name: "System", description: "Health, metrics, keys and this description." },
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

const description = `Kubernetes clusters in the clouds you already own.

Entities have \`metadata\`, \`spec\` (the desired state) and \`status\` (the observed state). A name or a uid is accepted wherever an entity is
named. Unknown fields and unknown query parameters are rejected. Fields marked read-only are ignored in requests; fields marked
write-only are never returned. An update with \`metadata.resourceVersion\` or \`If-Match\` is rejected with 409 if the entity has changed since.`;

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
      "A browser session; see `POST /v1/session`. Changes also require the header `X-Cloudwright-Csrf` with any value.",
  },
};
