import { fromJson, toJson } from "@bufbuild/protobuf";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { credentials, loadPackageDefinition, Metadata, type ClientReadableStream, type ServiceError } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readRefusal } from "./connect.ts";
import type { Call, Endpoint, Refusal } from "./endpoint.ts";
import { fromForeign, toForeign } from "./third-party-json.ts";
import type { WatchMessage } from "../event-stream.ts";

const protoDirectory = fileURLToPath(import.meta.resolve("@cloudwright/contract/package.json")).replace(
  /package\.json$/,
  "proto",
);

/** A grpc-js client, created at run time from the proto files. */
export interface ForeignClient {
  close(): void;
  readonly [method: string]: unknown;
}

type ForeignClass = new (address: string, credentials: unknown) => ForeignClient;
type Unary = (request: object, metadata: Metadata, done: (error: ServiceError | null, answer: object) => void) => void;
type Stream = (request: object, metadata: Metadata) => ClientReadableStream<object>;

const files = readdirSync(join(protoDirectory, "cloudwright/v1"))
  .filter((name) => name.endsWith(".proto"))
  .map((name) => `cloudwright/v1/${name}`);

/** Loads all services from the proto files, without generated code, as a third-party project would. */
const services = loadPackageDefinition(
  loadSync([...files, "grpc/health/v1/health.proto", "grpc/reflection/v1/reflection.proto"], {
    includeDirs: [protoDirectory],
    longs: String,
  }),
);

/** Creates a client for a service, given its full name. */
export function openForeignClient(address: string, service: string): ForeignClient {
  const found = service.split(".").reduce<unknown>((place, name) => (place as Record<string, unknown>)[name], services);
  return new (found as ForeignClass)(new URL(address).host, credentials.createInsecure());
}

/** Creates an endpoint that uses gRPC through grpc-js. */
export function createGrpcEndpoint(address: string): Endpoint {
  const clients = new Map<string, ForeignClient>();
  const clientOf = ({ method: operation }: Call): ForeignClient => {
    const { parent } = operation.descriptor;
    const client = clients.get(parent.typeName) ?? openForeignClient(address, parent.typeName);
    clients.set(parent.typeName, client);
    return client;
  };
  return {
    name: "gRPC",
    call(call) {
      const { input, output, localName } = call.method.descriptor;
      const client = clientOf(call);
      const run = client[localName] as Unary;
      return new Promise((resolve) => {
        run.call(client, toForeign(input, call.request), metadataOf(call), (error, answer) => {
          if (error !== null) return resolve({ refusal: toRefusal(error) });
          const message = fromJson(output, fromForeign(output, answer));
          return resolve({ answer: toJson(output, message, { alwaysEmitImplicit: true }) });
        });
      });
    },
    async *watch(call, signal) {
      const { input, output, localName } = call.method.descriptor;
      const client = clientOf(call);
      const stream = (client[localName] as Stream).call(client, toForeign(input, call.request), metadataOf(call));
      signal.addEventListener("abort", () => stream.cancel());
      for await (const message of stream) yield fromForeign(output, message as object) as unknown as WatchMessage;
    },
    close() {
      for (const client of clients.values()) client.close();
    },
  };
}

function metadataOf({ credential, idempotencyKey }: Call): Metadata {
  const metadata = new Metadata();
  if (credential !== undefined) metadata.set("authorization", `Bearer ${credential}`);
  if (idempotencyKey !== undefined) metadata.set("idempotency-key", idempotencyKey);
  return metadata;
}

function toRefusal(error: ServiceError): Refusal {
  const trailer = new Headers({ "grpc-status": String(error.code), "grpc-message": encodeURIComponent(error.details) });
  const [details] = error.metadata.get("grpc-status-details-bin");
  if (details !== undefined) trailer.set("grpc-status-details-bin", Buffer.from(details).toString("base64"));
  const found = findTrailerError(trailer);
  if (found === undefined) throw error;
  return readRefusal(found);
}
