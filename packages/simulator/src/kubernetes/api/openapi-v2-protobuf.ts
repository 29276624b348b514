import { apiVersionOf, type Kind } from "../kinds/kinds.ts";
import type { Schema } from "../schema/schema.ts";

/** The media type with which kubectl requests OpenAPI v2. */
export const openapiV2Protobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

/** Encodes OpenAPI v2 as protobuf, with the field numbers of OpenAPIv2.proto. kubectl uses it to validate lists and new custom kinds. */
export function encodeOpenapiV2(version: string, kinds: readonly Kind[], schemas: Readonly<Record<string, Schema>>): Buffer {
  const paths = kinds.map((kind) => nested(2, [text(1, patchPath(kind)), nested(2, [nested(8, patchOperation(kind))])]));
  const definitions = Object.entries(schemas).map(([name, schema]) =>
    nested(1, [text(1, name), nested(2, encodeSchema(schema))]),
  );
  return Buffer.concat([
    text(1, "2.0"),
    nested(2, [text(1, "Kubernetes"), text(2, version)]),
    nested(8, paths),
    nested(9, definitions),
  ]);
}

function patchPath(kind: Kind): string {
  return `${kind.group === "" ? "/api" : "/apis"}/${apiVersionOf(kind)}/${kind.namespaced ? "namespaces/{namespace}/" : ""}${kind.resource}/{name}`;
}

function patchOperation({ group, version, kind, schema }: Kind): Buffer[] {
  const types = ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];
  if (schema.startsWith("io.k8s.")) types.push("application/strategic-merge-patch+json");
  const parameters = ["dryRun", "fieldManager", "fieldValidation", "force"].map((name) =>
    nested(8, [nested(1, [nested(2, [nested(3, [text(2, "query"), text(4, name), text(6, "string")])])])]),
  );
  return [
    ...types.map((type) => text(7, type)),
    ...parameters,
    extension(13, "x-kubernetes-group-version-kind", { group, version, kind }),
  ];
}

function encodeSchema(schema: Schema): Buffer[] {
  const { $ref, format, description, required, additionalProperties, type, items, properties } = schema;
  const out: Buffer[] = [];
  if ($ref !== undefined) out.push(text(1, `#/definitions/${$ref}`));
  if (format !== undefined) out.push(text(2, format));
  if (description !== undefined) out.push(text(4, description));
  for (const name of required ?? []) out.push(text(19, name));
  if (typeof additionalProperties === "object") out.push(nested(21, [nested(1, encodeSchema(additionalProperties))]));
  if (type !== undefined) out.push(nested(22, [text(1, type)]));
  if (items !== undefined) out.push(nested(23, [nested(1, encodeSchema(items))]));
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([name, field]) => nested(1, [text(1, name), nested(2, encodeSchema(field))]));
    out.push(nested(25, fields));
  }
  for (const [name, value] of Object.entries(schema)) if (name.startsWith("x-kubernetes-")) out.push(extension(31, name, value));
  return out;
}

// The value is written as JSON, which is valid YAML.
function extension(number: number, name: string, value: unknown): Buffer {
  return nested(number, [text(1, name), nested(2, [text(2, JSON.stringify(value))])]);
}

function text(number: number, value: string): Buffer {
  return nested(number, [Buffer.from(value)]);
}

function nested(number: number, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([varint(number * 8 + 2), varint(body.length), body]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}
