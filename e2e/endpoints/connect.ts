import { fromJson, toJson, type JsonObject, type Message } from "@bufbuild/protobuf";
import { BadRequestSchema, ErrorInfoSchema, HelpSchema } from "@cloudwright/contract/gen/google/rpc/error_details_pb.ts";
import { ConnectError, createClient, type CallOptions, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import type { WatchMessage } from "../event-stream.ts";
import type { Call, Endpoint, Refusal } from "./endpoint.ts";

/** Transports of Connect's own client. Plain gRPC is tested with a third-party client instead. */
export const connectTransports: Readonly<Record<string, (baseUrl: string) => Transport>> = {
  "Connect with JSON": (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false }),
  "Connect with binary": (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2", useBinaryFormat: true }),
  "gRPC-web": (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
};

type Method = (request: Message, options: CallOptions) => unknown;

/** Creates an endpoint that uses Connect's client. */
export function createConnectEndpoint(name: string, transport: Transport): Endpoint {
  const open = (call: Call, signal?: AbortSignal): unknown => {
    const { descriptor } = call.method;
    const client = createClient(descriptor.parent, transport) as unknown as Readonly<Record<string, Method>>;
    const run = client[descriptor.localName];
    if (run === undefined) throw new Error(`the client has no method ${descriptor.localName}`);
    return run(fromJson(descriptor.input, call.request), {
      headers: headersOf(call),
      ...(signal === undefined ? {} : { signal }),
    });
  };
  return {
    name,
    async call(call) {
      const { output } = call.method.descriptor;
      try {
        return { answer: toJson(output, (await open(call)) as Message, { alwaysEmitImplicit: true }) };
      } catch (error) {
        if (error instanceof ConnectError) return { refusal: readRefusal(error) };
        throw error;
      }
    },
    async *watch(call, signal) {
      for await (const message of open(call, signal) as AsyncIterable<Message>) {
        yield toJson(call.method.descriptor.output, message) as JsonObject as unknown as WatchMessage;
      }
    },
    close: () => undefined,
  };
}

function headersOf({ credential, idempotencyKey }: Call): Headers {
  const headers = new Headers();
  if (credential !== undefined) headers.set("authorization", `Bearer ${credential}`);
  if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey);
  return headers;
}

/** Reads the fault from the standard gRPC error details. */
export function readRefusal(error: ConnectError): Refusal {
  const [info] = error.findDetails(ErrorInfoSchema);
  const [help] = error.findDetails(HelpSchema);
  const violations = error.findDetails(BadRequestSchema).flatMap((detail) => detail.fieldViolations);
  return {
    code: info?.reason ?? "",
    message: error.rawMessage,
    help: help?.links[0]?.description ?? "",
    grpcCode: error.code,
    fields: violations.map(({ field, description }) => ({ field, message: description })),
    extra: info?.metadata ?? {},
  };
}
