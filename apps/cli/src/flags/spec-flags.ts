import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { getEntitySchema, guardedPaths } from "@cloudwright/contract/entities";
import { isOutputOnly, renderField } from "@cloudwright/contract/field-schema";

/** One flag of `create` and `update`, derived from a field in the contract. */
export interface SpecFlag {
  /** The flag's name without the leading dashes, such as `endpoint-public`. */
  readonly name: string;
  /** The path of the field relative to `spec`, such as `["endpoint", "public"]`. */
  readonly path: readonly string[];
  readonly type: "text" | "number" | "switch" | "time" | "list" | "map" | "records" | "case" | "document";
  readonly description: string;
  /** The allowed values. For the type `case`, these are the members of the oneof. */
  readonly choices: readonly string[] | undefined;
  readonly isSecret: boolean;
  readonly isImmutable: boolean;
  /** The kind of entity that the flag's value names. */
  readonly reference: string | undefined;
  /** Only for records: the field types, keyed by field name. */
  readonly fields?: Readonly<Record<string, SpecFlag["type"]>>;
}

interface Schema {
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly items?: { readonly enum?: readonly unknown[] };
  readonly writeOnly?: boolean;
  readonly "x-immutable"?: boolean;
  readonly "x-reference"?: string;
}

/**
 * Derives a kind's flags from its spec message. A nested field is named by its path. Each oneof gets a flag that selects one of its
 * members.
 */
export function listSpecFlags(kind: string): SpecFlag[] {
  const spec = getEntitySchema(kind).field["spec"]?.message;
  const flags = spec === undefined ? [] : listMessageFlags(spec, [], { isImmutable: false });
  return flags.map((flag) => withRole(kind, flag));
}

/** Properties that the fields of a message inherit from the field that contains the message. */
interface Above {
  readonly isImmutable: boolean;
}

function listMessageFlags(message: DescMessage, path: readonly string[], above: Above): SpecFlag[] {
  const cases = message.oneofs.map((oneof): SpecFlag => {
    const choices = oneof.fields.map((field) => field.jsonName);
    return {
      ...plain,
      ...above,
      name: kebab([...path, oneof.localName]),
      path,
      type: "case",
      choices,
      description: `one of ${choices.join(", ")}`,
    };
  });
  return [
    ...cases,
    ...message.fields
      .filter((field) => !isOutputOnly(field))
      .flatMap((field) => listFieldFlags(field, [...path, field.jsonName], above)),
  ];
}

const wellKnown: Readonly<Record<string, SpecFlag["type"]>> = {
  "google.protobuf.Timestamp": "time",
  "google.protobuf.Struct": "document",
};

function listFieldFlags(field: DescField, path: readonly string[], above: Above): SpecFlag[] {
  const schema = renderField(field, () => ({})) as Schema;
  const isImmutable = above.isImmutable || schema["x-immutable"] === true;
  const known = wellKnown[field.message?.typeName ?? ""];
  if (field.fieldKind === "message" && known === undefined) return listMessageFlags(field.message, path, { isImmutable });
  const choices = (field.fieldKind === "list" ? schema.items?.enum : schema.enum)
    ?.filter((value) => value !== "" && value !== 0)
    .map(String);
  return [
    {
      name: kebab(path),
      path,
      type: known ?? typeOf(field),
      description: describe(field, schema, path),
      choices,
      isSecret: schema.writeOnly === true,
      isImmutable,
      reference: schema["x-reference"],
      ...(isRecords(field)
        ? { fields: Object.fromEntries(field.message.fields.map((each) => [each.jsonName, typeOf(each)])) }
        : {}),
    },
  ];
}

/** Returns the field's description from the contract as one line. For records, appends the field names. */
function describe(field: DescField, { description }: Schema, path: readonly string[]): string {
  const text = (description ?? `spec.${path.join(".")}`).replace(/\s+/g, (space) => (space.includes("\n") ? " " : space));
  return isRecords(field)
    ? `${text.replace(/\.?$/, ".")} Fields: ${field.message.fields.map(({ jsonName }) => jsonName).join(", ")}.`
    : text;
}

function isRecords(field: DescField): field is DescField & { readonly fieldKind: "list"; readonly message: DescMessage } {
  return field.fieldKind === "list" && field.message !== undefined;
}

/** Appends the required role to a flag's description if the field requires a higher role than other updates. */
function withRole(kind: string, flag: SpecFlag): SpecFlag {
  const guarded = guardedPaths[kind]?.find(({ path }) => path.every((name, index) => ["spec", ...flag.path][index] === name));
  // The contract states the role for a guarded field, but not for the fields nested in it.
  if (guarded === undefined || /equires the \w+ role/.test(flag.description)) return flag;
  return { ...flag, description: `${flag.description} Requires the ${guarded.role} role.` };
}

const plain = { isSecret: false, isImmutable: false, reference: undefined } as const;

function typeOf(field: DescField): SpecFlag["type"] {
  if (field.fieldKind === "map") return "map";
  if (field.fieldKind === "list") return field.listKind === "message" ? "records" : "list";
  const kind = renderField(field, () => ({}))["type"];
  if (kind === "boolean") return "switch";
  return kind === "integer" || kind === "number" ? "number" : "text";
}

function kebab(path: readonly string[]): string {
  return path.map((part) => part.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)).join("-");
}
