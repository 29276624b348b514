import { findField } from "../cluster/own-fields.ts";

/** The part of OpenAPI v3 that Kubernetes schemas use. `$ref` is the bare name of another schema. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly not?: Schema;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-group-version-kind"?: readonly { group: string; version: string; kind: string }[];
}

/** Finds schemas by name and resolves references. */
export interface Schemas {
  find(name: string): Schema | undefined;
  /** Returns the schema itself, or the schema it refers to. */
  resolve(schema: Schema | undefined): Schema | undefined;
}

/** Returns whether a schema leaves the structure of its values open, as for quantities, int-or-string values and raw JSON. */
export function isOpaque(schema: Schema): boolean {
  return (
    schema.type === undefined ||
    schema["x-kubernetes-int-or-string"] === true ||
    (schema.type === "object" && schema.properties === undefined && schema.additionalProperties === undefined)
  );
}

/** Returns the keys that identify the items of a list, or undefined if its items have no identity. */
export function listKeysOf(schema: Schema | undefined): readonly string[] | undefined {
  return schema?.["x-kubernetes-list-type"] === "map" ? schema["x-kubernetes-list-map-keys"] : undefined;
}

/** Returns the schema of an object's field. */
export function fieldOf(schemas: Schemas, schema: Schema | undefined, key: string): Schema | undefined {
  const resolved = schemas.resolve(schema);
  const own = findField(resolved?.properties, key);
  if (own !== undefined) return own;
  return typeof resolved?.additionalProperties === "object" ? resolved.additionalProperties : undefined;
}
