import { createHash } from "node:crypto";
import type { Schema } from "../schema/schema.ts";
import { findField, setField } from "../cluster/own-fields.ts";
import { apiVersionOf, type Kind } from "../kinds/kinds.ts";
import type { Answer, Call } from "./call.ts";
import { ok } from "./call.ts";
import { encodeOpenapiV2, openapiV2Protobuf } from "./openapi-v2-protobuf.ts";
import { noSuchPath } from "./status-error.ts";

/** Serves `/openapi/v3`, the documents below it, and `/openapi/v2`. Returns undefined for other paths. */
export function answerOpenapi(call: Call): Answer | undefined {
  if (call.path === "/openapi/v3") return ok({ paths: listParts(call) });
  if (call.path === "/openapi/v2") {
    const all = call.cluster.kinds.list();
    if ((call.headers["accept"] ?? "").includes(openapiV2Protobuf)) {
      // Go's media type parser rejects the `@` in the type that kubectl requests, so the response has a dot in its place, as on real
      // servers.
      return {
        code: 200,
        body: encodeOpenapiV2(call.cluster.record.version, all, closureOf(call, all)),
        contentType: openapiV2Protobuf.replace("@", "."),
      };
    }
    const definitions = schemasFor(call, all, (name) => `#/definitions/${name}`);
    return ok({
      swagger: "2.0",
      info: { title: "Kubernetes", version: call.cluster.record.version },
      paths: pathsOf(all),
      definitions,
    });
  }
  const part = /^\/openapi\/v3\/(apis?\/.+)$/.exec(call.path)?.[1];
  if (part === undefined) return undefined;
  const groupVersion = part.replace(/^apis?\//, "");
  const kinds = call.cluster.kinds.list().filter((kind) => apiVersionOf(kind) === groupVersion);
  if (kinds.length === 0) throw noSuchPath();
  const schemas = schemasFor(call, kinds, (name) => `#/components/schemas/${name}`);
  return ok({
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: call.cluster.record.version },
    paths: pathsOf(kinds),
    components: { schemas },
  });
}

// Clients can cache each document, because its URL contains a hash. The hash depends on the cluster version and on the schemas of custom
// kinds.
function listParts(call: Call): Record<string, { serverRelativeURL: string }> {
  const parts: Record<string, { serverRelativeURL: string }> = {};
  for (const kind of call.cluster.kinds.list()) {
    const path = kind.group === "" ? `api/${kind.version}` : `apis/${apiVersionOf(kind)}`;
    const custom = call.cluster.kinds.findCustom(kind);
    const seed = `${call.cluster.record.version} ${path} ${custom === undefined ? "" : JSON.stringify(custom.openSchema)}`;
    const hash = createHash("sha256")
      .update(findField(parts, path)?.serverRelativeURL ?? "")
      .update(seed)
      .digest("hex")
      .slice(0, 32);
    parts[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
  }
  return parts;
}

function schemasFor(call: Call, kinds: readonly Kind[], place: (name: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(closureOf(call, kinds)).map(([name, schema]) => [name, expand(schema, place)]));
}

// Returns the schemas of kinds, including all schemas they refer to.
function closureOf(call: Call, kinds: readonly Kind[]): Record<string, Schema> {
  const wanted = new Set([...kinds.map((kind) => kind.schema), "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"]);
  const out: Record<string, Schema> = {};
  for (const name of wanted) {
    const schema = call.cluster.kinds.schemas.find(name) ?? {};
    setField(out, name, schema);
    expand(schema, (reference) => (wanted.add(reference), ""));
  }
  return out;
}

// In OpenAPI, `$ref` must be the only key of a schema, so a reference with a description is wrapped.
function expand(schema: Schema, place: (name: string) => string): unknown {
  const { $ref, properties, items, additionalProperties, ...rest } = schema;
  if ($ref !== undefined) {
    const reference = { $ref: place($ref) };
    return Object.keys(rest).length === 0 ? reference : { ...rest, allOf: [reference] };
  }
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, field]) => [key, expand(field, place)])),
    }),
    ...(items && { items: expand(items, place) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: typeof additionalProperties === "object" ? expand(additionalProperties, place) : additionalProperties,
    }),
  };
}

const parameters = ["dryRun", "fieldManager", "fieldValidation", "force", "pretty"].map((name) => ({
  name,
  in: "query",
  schema: { type: name === "force" ? "boolean" : "string", uniqueItems: true },
}));
const patchTypes = ["json-patch+json", "merge-patch+json", "apply-patch+yaml", "strategic-merge-patch+json"].map(
  (type) => `application/${type}`,
);

function pathsOf(kinds: readonly Kind[]): Record<string, unknown> {
  const paths: Record<string, unknown> = {};
  for (const kind of kinds) {
    const { group, version } = kind;
    const base = `${group === "" ? "/api" : "/apis"}/${apiVersionOf(kind)}/${kind.namespaced ? "namespaces/{namespace}/" : ""}${kind.resource}`;
    const isBuiltIn = kind.schema.startsWith("io.k8s.");
    const operation = (action: string, extra: object = {}): object => ({
      "x-kubernetes-action": action,
      "x-kubernetes-group-version-kind": { group, version, kind: kind.kind },
      parameters,
      responses: { "200": { description: "OK" } },
      ...extra,
    });
    const content = Object.fromEntries(
      patchTypes.slice(0, isBuiltIn ? 4 : 3).map((type) => [type, { schema: { type: "object" } }]),
    );
    paths[base] = { get: operation("list"), post: operation("post"), delete: operation("deletecollection") };
    paths[`${base}/{name}`] = {
      get: operation("get"),
      put: operation("put"),
      patch: operation("patch", { requestBody: { required: true, content } }),
      delete: operation("delete"),
    };
  }
  return paths;
}
