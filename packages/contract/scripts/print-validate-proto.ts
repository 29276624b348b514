import { ScalarType, type DescEnum, type DescExtension, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { file_buf_validate_validate as file } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";

/**
 * Renders buf/validate/validate.proto from the descriptor in @bufbuild/protovalidate, because no npm package ships the file and buf cannot
 * fetch it offline. Options are omitted. At run time, the package's own descriptor is used.
 */
export function printValidateProto(): string {
  const lines = [
    "// Printed by scripts/print-validate-proto.ts from @bufbuild/protovalidate. Do not edit.",
    'syntax = "proto2";',
    `package ${file.proto.package};`,
    ...file.dependencies.map((dependency) => `import "${dependency.proto.name}";`),
    ...file.enums.flatMap((desc) => printEnum(desc)),
    ...file.messages.flatMap((desc) => printMessage(desc)),
    ...file.extensions.map((desc) => `extend ${desc.extendee.typeName} { ${printField(desc)} }`),
  ];
  return `${lines.join("\n")}\n`;
}

function printMessage(desc: DescMessage): string[] {
  const oneofs = desc.oneofs.flatMap((oneof) => [
    `oneof ${oneof.name} {`,
    ...oneof.fields.map((field) => printField(field, "")),
    "}",
  ]);
  const plain = desc.fields.filter((field) => field.oneof === undefined).map((field) => printField(field));
  const ranges = desc.proto.extensionRange.map(
    (range) => `extensions ${range.start} to ${range.end > 536870911 ? "max" : range.end - 1};`,
  );
  const nested = [
    ...desc.nestedEnums.flatMap((item) => printEnum(item)),
    ...desc.nestedMessages.flatMap((item) => printMessage(item)),
  ];
  return [`message ${desc.name} {`, ...nested, ...oneofs, ...plain, ...ranges, "}"];
}

function printEnum(desc: DescEnum): string[] {
  return [`enum ${desc.name} {`, ...desc.values.map((value) => `${value.name} = ${value.number};`), "}"];
}

function printField(field: DescField | DescExtension, label = labelOf(field)): string {
  return `${label}${typeOf(field)} ${field.name} = ${field.number};`;
}

function labelOf(field: DescField | DescExtension): string {
  if (field.fieldKind === "map") return "";
  return field.fieldKind === "list" ? "repeated " : "optional ";
}

function typeOf(field: DescField | DescExtension): string {
  const named = field.message ?? field.enum;
  if (field.fieldKind === "map") return `map<string, ${named?.typeName ?? scalarName(field.scalar)}>`;
  return named === undefined ? scalarName(field.scalar) : `.${named.typeName}`;
}

function scalarName(scalar: ScalarType | undefined): string {
  if (scalar === undefined) throw new Error("a field without a type");
  return ScalarType[scalar].toLowerCase();
}
