import type { DescriptorProto, FileDescriptorProto, ServiceDescriptorProto } from "@bufbuild/protobuf/wkt";

// Field numbers in descriptor.proto. The paths of source locations consist of them.
const fileMessages = 4;
const fileServices = 6;
const messageFields = 2;
const messageNested = 3;
const serviceMethods = 2;

/** Renders the comments of our proto files as a map by fully-qualified name. The descriptors of protobuf-es do not contain them. */
export function printComments(files: readonly FileDescriptorProto[]): string {
  const comments = files.filter((file) => file.package.startsWith("cloudwright.")).flatMap(readComments);
  const lines = comments
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, comment]) => `  ${JSON.stringify(name)}: ${JSON.stringify(comment)},`);
  return [
    "// Printed by scripts/protoc-gen-comments.ts from the proto files. Do not edit.",
    "/** The comments of messages, fields, services and rpcs, by fully-qualified name. */",
    "export const comments: Readonly<Record<string, string>> = {",
    ...lines,
    "};",
    "",
  ].join("\n");
}

type Comment = readonly [name: string, comment: string];

function readComments(file: FileDescriptorProto): Comment[] {
  const byPath = new Map(
    (file.sourceCodeInfo?.location ?? []).map((location) => [location.path.join("."), cleanComment(location.leadingComments)]),
  );
  const named = [
    ...file.messageType.flatMap((message, index) => nameMessage(message, file.package, [fileMessages, index])),
    ...file.service.flatMap((service, index) => nameService(service, file.package, [fileServices, index])),
  ];
  return named.flatMap(([name, path]) => {
    const comment = byPath.get(path.join(".")) ?? "";
    return comment === "" ? [] : [[name, comment] as const];
  });
}

type NamedPath = readonly [name: string, path: readonly number[]];

function nameMessage(message: DescriptorProto, parent: string, path: readonly number[]): NamedPath[] {
  const name = `${parent}.${message.name}`;
  return [
    [name, path],
    ...message.field.map((field, index): NamedPath => [`${name}.${field.name}`, [...path, messageFields, index]]),
    ...message.nestedType.flatMap((nested, index) => nameMessage(nested, name, [...path, messageNested, index])),
  ];
}

function nameService(service: ServiceDescriptorProto, parent: string, path: readonly number[]): NamedPath[] {
  const name = `${parent}.${service.name}`;
  return [
    [name, path],
    ...service.method.map((method, index): NamedPath => [`${name}.${method.name}`, [...path, serviceMethods, index]]),
  ];
}

function cleanComment(comment: string): string {
  return comment
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .trim();
}
