import { fromJson, toJson, type Message } from "@bufbuild/protobuf";
import type { Json, Method } from "@cloudwright/contract";
import { ErrorInfoSchema } from "@cloudwright/contract/gen/google/rpc/error_details_pb.ts";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";

/** The result of a call over Connect. */
export interface ConnectOutcome {
  /** "ok" or the name of the Connect error code. */
  readonly code: string;
  /** The code of the fault, from the error details. */
  readonly reason: string;
  /** The error message. */
  readonly text: string;
  /** The response as JSON. For a stream, the first message. */
  readonly body: Json;
}

type ClientMethod = (request: Json, options: { headers: Record<string, string>; signal: AbortSignal }) => unknown;

/** Calls a method with a JSON request, over Connect or gRPC. A stream is closed after its first message. */
export async function callConnect(
  url: string,
  method: Method,
  message: Json,
  options: { key?: string | undefined; headers?: Record<string, string>; protocol?: "connect" | "grpc" } = {},
): Promise<ConnectOutcome> {
  const transport =
    options.protocol === "grpc"
      ? createGrpcTransport({ baseUrl: url })
      : createConnectTransport({ baseUrl: url, httpVersion: "1.1" });
  const client = createClient(method.descriptor.parent, transport) as unknown as Record<string, ClientMethod>;
  const { input, output, localName } = method.descriptor;
  const headers = {
    ...options.headers,
    ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
  };
  const request = fromJson(input, message) as unknown as Json;
  const abort = new AbortController();
  try {
    const result = client[localName]?.(request, { headers, signal: abort.signal });
    const answer = method.streaming ? await readFirst(result as AsyncIterable<Message>) : await (result as Promise<Message>);
    return { code: "ok", reason: "", text: "", body: toJson(output, answer) };
  } catch (error) {
    const failed = ConnectError.from(error);
    const [info] = failed.findDetails(ErrorInfoSchema);
    return { code: Code[failed.code], reason: info?.reason ?? "", text: failed.rawMessage, body: null };
  } finally {
    abort.abort();
  }
}

async function readFirst(messages: AsyncIterable<Message>): Promise<Message> {
  for await (const message of messages) return message;
  throw new Error("the stream ended before its first message");
}
