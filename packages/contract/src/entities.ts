import { type Json, type JsonObject } from "@cloudwright/platform/json";
import { getOption, hasOption, type DescField, type DescMessage } from "@bufbuild/protobuf";
import type { MetadataJson } from "../gen/cloudwright/v1/metadata_pb.ts";
import { immutable, needs_role, secret } from "../gen/cloudwright/v1/options_pb.ts";
import { kinds, type Role } from "./kinds.ts";
import { services } from "./services.ts";

export type { Json, JsonObject };

/** An entity as it is sent and stored: the JSON form of its message. */
export interface EntityJson {
  metadata: MetadataJson;
  spec: JsonObject;
  status: JsonObject;
}

/** The message of each kind: the result of the method that gets one entity. */
const schemas: ReadonlyMap<string, DescMessage> = new Map(
  services.flatMap((service) => {
    const kind = service.name.replace(/Service$/, "");
    const method = service.methods.find(({ name }) => name === `Get${kind}`);
    return method === undefined ? [] : [[kind, method.output] as const];
  }),
);

/** Returns the message of a kind. Throws if there is none. */
export function getEntitySchema(kind: string): DescMessage {
  const schema = schemas.get(kind);
  if (schema === undefined) throw new Error(`unknown kind ${kind}`);
  return schema;
}

/** The path to a field as a list of JSON names, such as `["spec", "endpoint", "public"]`. */
export type FieldPath = readonly string[];

/** The write-only fields of a kind. */
export const secretPaths: Readonly<Record<string, readonly FieldPath[]>> = pathsByKind((field) => isMarked(field, secret));

/** The fields of a kind that are fixed at creation. */
export const immutablePaths: Readonly<Record<string, readonly FieldPath[]>> = pathsByKind((field) => isMarked(field, immutable));

/** The fields of a kind that require a higher role than changing the entity does, with the lowest role that may set them. */
export const guardedPaths: Readonly<Record<string, readonly GuardedPath[]>> = Object.fromEntries(
  Object.entries(pathsByKind((field) => hasOption(field, needs_role))).map(([kind, paths]) => [
    kind,
    paths.map((path) => ({ path, role: getOption(findField(kind, path) as DescField, needs_role) as Role })),
  ]),
);

/** A field and the lowest role that may set or change it. */
export interface GuardedPath {
  readonly path: FieldPath;
  readonly role: Role;
}

function pathsByKind(matches: (field: DescField) => boolean): Record<string, FieldPath[]> {
  return Object.fromEntries(
    kinds.map(({ kind }) => {
      const spec = getEntitySchema(kind).field["spec"];
      return [kind, spec?.message === undefined ? [] : findPaths(spec.message, ["spec"], matches)];
    }),
  );
}

function findPaths(message: DescMessage, prefix: FieldPath, matches: (field: DescField) => boolean): FieldPath[] {
  return message.fields.flatMap((field) => {
    const path = [...prefix, field.jsonName];
    if (matches(field)) return [path];
    const below = field.fieldKind === "message" && field.message.typeName.startsWith("cloudwright.");
    return below ? findPaths(field.message, path, matches) : [];
  });
}

function isMarked(field: DescField, option: typeof secret): boolean {
  return hasOption(field, option) && getOption(field, option);
}

/** Returns the field at this path of a kind's entities. Undefined if there is none, so that a filter on it can be rejected. */
export function findField(kind: string, path: FieldPath): DescField | undefined {
  let message: DescMessage | undefined = getEntitySchema(kind);
  let field: DescField | undefined;
  for (const name of path) {
    field = message?.fields.find((candidate) => candidate.jsonName === name);
    if (field === undefined) return undefined;
    message = field.fieldKind === "message" ? field.message : undefined;
  }
  return field;
}
