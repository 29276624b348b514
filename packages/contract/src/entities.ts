import { type Json, type JsonObject } from "@cloudwright/platform/json";
import { getOption, hasOption, type DescField, type DescMessage } from "@bufbuild/protobuf";
import type { MetadataJson } from "../gen/cloudwright/v1/metadata_pb.ts";
import { immutable, lists_identities, needs_role, passes_identity, secret } from "../gen/cloudwright/v1/options_pb.ts";
import { kinds, type Role } from "./kinds.ts";
import { services } from "./services.ts";

export type { Json, JsonObject };

/** An entity in its JSON form, as it is sent and stored. */
export interface EntityJson {
  metadata: MetadataJson;
  spec: JsonObject;
  status: JsonObject;
}

/** Message schema of each kind: the response type of its get method. */
const schemas: ReadonlyMap<string, DescMessage> = new Map(
  services.flatMap((service) => {
    const kind = service.name.replace(/Service$/, "");
    const method = service.methods.find(({ name }) => name === `Get${kind}`);
    return method === undefined ? [] : [[kind, method.output] as const];
  }),
);

/** Returns the message schema of a kind. Throws if the kind is unknown. */
export function getEntitySchema(kind: string): DescMessage {
  const schema = schemas.get(kind);
  if (schema === undefined) throw new Error(`unknown kind ${kind}`);
  return schema;
}

/** Path to a field as a list of JSON names, such as `["spec", "endpoint", "public"]`. */
export type FieldPath = readonly string[];

/** Write-only fields of each kind. */
export const secretPaths: Readonly<Record<string, readonly FieldPath[]>> = pathsByKind((field) => isMarked(field, secret));

/** Fields of each kind that cannot change after creation. */
export const immutablePaths: Readonly<Record<string, readonly FieldPath[]>> = pathsByKind((field) => isMarked(field, immutable));

/** Fields of each kind that require a higher role than the update itself. */
export const guardedPaths: Readonly<Record<string, readonly GuardedPath[]>> = Object.fromEntries(
  Object.entries(pathsByKind((field) => hasOption(field, needs_role))).map(([kind, paths]) => [
    kind,
    paths.map((path) => ({ path, role: getOption(findField(kind, path) as DescField, needs_role) as Role })),
  ]),
);

/** A field with the minimum role required to set or change it. */
export interface GuardedPath {
  readonly path: FieldPath;
  readonly role: Role;
}

/**
 * A field that names cloud identities. If the field is a list of messages, `member` is the field of each message that names the identity.
 */
export interface IdentityPath {
  readonly path: FieldPath;
  readonly member: string | undefined;
}

/** Fields of each kind that name a cloud identity, such as a role, that resources will act as. */
export const identityPaths: Readonly<Record<string, readonly IdentityPath[]>> = Object.fromEntries(
  Object.entries(pathsByKind((field) => isMarked(field, passes_identity))).map(([kind, paths]) => [
    kind,
    paths.map((path) => ({ path, member: findMember(findField(kind, path)) })),
  ]),
);

/** Fields of each kind that list the cloud identities that an entity's descendants may use. */
export const identityListPaths: Readonly<Record<string, readonly FieldPath[]>> = pathsByKind((field) =>
  isMarked(field, lists_identities),
);

function findMember(field: DescField | undefined): string | undefined {
  if (field?.fieldKind !== "list" || field.listKind !== "message") return undefined;
  return field.message.fields.find((candidate) => isMarked(candidate, passes_identity))?.jsonName;
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

/**
 * Returns the field at a path in a kind's entities. Returns undefined if there is no such field, so that callers can reject filters on it.
 */
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
