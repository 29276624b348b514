import { create, toBinary, type DescFile } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { services } from "@cloudwright/contract";
import { Health } from "@cloudwright/contract/gen/grpc/health/v1/health_pb.ts";
import {
  ListServiceResponseSchema,
  ServerReflection,
  ServerReflectionResponseSchema,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from "@cloudwright/contract/gen/grpc/reflection/v1/reflection_pb.ts";
import { Code, type ConnectRouter } from "@connectrpc/connect";
import { openLimits } from "./health.ts";

type Reply = ServerReflectionResponse["messageResponse"];

const served = [...services, Health, ServerReflection];

/** Registers the standard gRPC reflection service, so that clients can list the services and their descriptors. */
export function registerReflection(router: ConnectRouter): void {
  const files = collectFiles();
  router.service(
    ServerReflection,
    {
      async *serverReflectionInfo(requests) {
        for await (const request of requests) {
          yield create(ServerReflectionResponseSchema, {
            validHost: request.host,
            originalRequest: request,
            messageResponse: reply(files, request),
          });
        }
      },
    },
    openLimits,
  );
}

function collectFiles(): ReadonlyMap<string, DescFile> {
  const files = new Map<string, DescFile>();
  const add = (file: DescFile): void => {
    if (files.has(file.proto.name)) return;
    files.set(file.proto.name, file);
    file.dependencies.forEach(add);
  };
  for (const service of served) add(service.file);
  return files;
}

function reply(files: ReadonlyMap<string, DescFile>, { messageRequest }: ServerReflectionRequest): Reply {
  switch (messageRequest.case) {
    case "listServices":
      return {
        case: "listServicesResponse",
        value: create(ListServiceResponseSchema, { service: served.map(({ typeName }) => ({ name: typeName })) }),
      };
    case "fileByFilename":
      return describe(files.get(messageRequest.value), messageRequest.value);
    case "fileContainingSymbol":
      return describe(
        [...files.values()].find((file) => declares(file, messageRequest.value)),
        messageRequest.value,
      );
    case "fileContainingExtension":
      return describe(
        [...files.values()].find((file) =>
          file.extensions.some(
            ({ extendee, number }) =>
              extendee.typeName === messageRequest.value.containingType && number === messageRequest.value.extensionNumber,
          ),
        ),
        messageRequest.value.containingType,
      );
    default:
      return {
        case: "errorResponse",
        value: { $typeName: "grpc.reflection.v1.ErrorResponse", errorCode: Code.Unimplemented, errorMessage: "not supported" },
      };
  }
}

/** Returns a file descriptor together with the files it imports, as clients expect. */
function describe(file: DescFile | undefined, wanted: string): Reply {
  if (file === undefined) {
    return {
      case: "errorResponse",
      value: { $typeName: "grpc.reflection.v1.ErrorResponse", errorCode: Code.NotFound, errorMessage: `${wanted} not found` },
    };
  }
  const closure = new Map<string, DescFile>();
  const add = (current: DescFile): void => {
    if (closure.has(current.proto.name)) return;
    closure.set(current.proto.name, current);
    current.dependencies.forEach(add);
  };
  add(file);
  const fileDescriptorProto = [...closure.values()].map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
  return {
    case: "fileDescriptorResponse",
    value: { $typeName: "grpc.reflection.v1.FileDescriptorResponse", fileDescriptorProto },
  };
}

function declares(file: DescFile, symbol: string): boolean {
  const names = [
    ...file.services.flatMap((service) => [
      service.typeName,
      ...service.methods.map((method) => `${service.typeName}.${method.name}`),
    ]),
    ...file.messages.map((message) => message.typeName),
    ...file.enums.map((item) => item.typeName),
    ...file.extensions.map((extension) => extension.typeName),
  ];
  // Nested messages and fields are defined in the file of their outermost message.
  return names.some((name) => symbol === name || symbol.startsWith(`${name}.`));
}
