import { findApiModel } from "../../testing/find-api-model.ts";

interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
}

/** A Google Cloud discovery document. */
export interface ApiDocument {
  readonly schemas: Readonly<Record<string, Schema>>;
}

/** Finds a service's discovery document. Returns undefined if it is not on this machine. */
export function findDocument(service: string): ApiDocument | undefined {
  const probe = findApiModel(`gcp/${service}.v1.json`);
  return probe.found ? (probe.model as ApiDocument) : undefined;
}

/** Returns the allowed values of a field. */
export function listWords({ schemas }: ApiDocument, schema: string, field: string): readonly string[] {
  return schemas[schema]?.properties?.[field]?.enum ?? [];
}

/** Returns the ways in which a value violates a schema, including all nested fields. */
export function findViolations(document: ApiDocument, schema: string, value: unknown): readonly string[] {
  const check = (described: Schema, at: string, inner: unknown): readonly string[] => {
    const own = described.$ref === undefined ? described : document.schemas[described.$ref];
    if (own === undefined) return [];
    if (Array.isArray(inner))
      return own.type === "array"
        ? inner.flatMap((each, index) => check(own.items ?? {}, `${at}[${index}]`, each))
        : [`${at} must not be a list`];
    if (typeof inner === "object" && inner !== null) {
      if (own.type !== undefined && own.type !== "object") return [`${at} must not be an object`];
      return Object.entries(inner).flatMap(([name, each]) => {
        const field = own.properties?.[name] ?? own.additionalProperties;
        return field === undefined ? [`${at} has no field ${name}`] : check(field, `${at}.${name}`, each);
      });
    }
    if (own.enum !== undefined && !own.enum.includes(String(inner))) return [`${at} must not be ${String(inner)}`];
    const type = own.type === "integer" ? "number" : own.type;
    return type === undefined || type === "any" || typeof inner === type ? [] : [`${at} must have the type ${type}`];
  };
  return check({ $ref: schema }, schema, value);
}
