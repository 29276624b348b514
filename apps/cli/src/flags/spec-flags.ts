import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { getEntitySchema } from "@cloudwright/contract/entities";
import { renderField } from "@cloudwright/contract/field-schema";

/** One flag of `create` and `update`, as the contract declares the field behind it. */
export interface SpecFlag {
  /** Without dashes: `aws-access-key-id`. */
  readonly name: string;
  /** JSON names from the spec down: `["aws", "accessKeyId"]`. */
  readonly path: readonly string[];
  readonly type: "text" | "number" | "switch" | "time" | "list" | "map" | "records" | "case";
  readonly description: string;
  /** The only values allowed; for a `case` the members to choose from. */
  readonly choices: readonly string[] | undefined;
  readonly isSecret: boolean;
  readonly isImmutable: boolean;
  /** The kind that the value names an entity of. */
  readonly reference: string | undefined;
}

interface Schema {
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly items?: { readonly enum?: readonly unknown[] };
  readonly writeOnly?: boolean;
  readonly "x-immutable"?: boolean;
  readonly "x-reference"?: string;
}

/** The flags of a kind's spec, read from its message: nested messages by their path, one flag per oneof to choose its member. */
export function listSpecFlags(kind: string): SpecFlag[] {
  const spec = getEntitySchema(kind).field["spec"]?.message;
  return spec === undefined ? [] : listMessageFlags(spec, []);
}

function listMessageFlags(message: DescMessage, path: readonly string[]): SpecFlag[] {
  const cases = message.oneofs.map((oneof): SpecFlag => {
    const choices = oneof.fields.map((field) => field.jsonName);
    return {
      ...plain,
      name: kebab([...path, oneof.localName]),
      path,
      type: "case",
      choices,
      description: `which of ${choices.join(", ")}`,
    };
  });
  return [...cases, ...message.fields.flatMap((field) => listFieldFlags(field, [...path, field.jsonName]))];
}

function listFieldFlags(field: DescField, path: readonly string[]): SpecFlag[] {
  const isTime = field.message?.typeName === "google.protobuf.Timestamp";
  if (field.fieldKind === "message" && !isTime) return listMessageFlags(field.message, path);
  const schema = renderField(field, () => ({})) as Schema;
  const choices = (field.fieldKind === "list" ? schema.items?.enum : schema.enum)
    ?.filter((value) => value !== "" && value !== 0)
    .map(String);
  return [
    {
      name: kebab(path),
      path,
      type: isTime ? "time" : typeOf(field),
      description: schema.description ?? `spec.${path.join(".")}`,
      choices,
      isSecret: schema.writeOnly === true,
      isImmutable: schema["x-immutable"] === true,
      reference: schema["x-reference"],
    },
  ];
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
