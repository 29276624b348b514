import { fromBinary, fromJson, toBinary, toJson } from "@bufbuild/protobuf";
import type { Json, Method } from "@cloudwright/contract";
import { ErrorInfoSchema } from "@cloudwright/contract/gen/google/rpc/error_details_pb.ts";
import { Code, ConnectError } from "@connectrpc/connect";
import { errorFromJsonBytes } from "@connectrpc/connect/protocol-connect";
import type { ConnectOutcome } from "./connect-call.ts";
import { createHttpCaller } from "./http-call.ts";

/** A response with its unparsed body. */
export interface PlainAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

/** Sends a binary message as an agent does: uncompressed, using the Connect protocol over HTTP/1.1. */
export async function sendPlain(
  url: string,
  method: Method,
  body: Buffer,
  { key, headers = {}, signal }: { key?: string | undefined; headers?: Record<string, string>; signal?: AbortSignal },
): Promise<PlainAnswer> {
  const { hostname, port } = new URL(url);
  const http = createHttpCaller({ host: hostname, port: Number(port) });
  signal?.addEventListener("abort", () => http.close());
  try {
    const own = { "content-type": "application/proto", "connect-protocol-version": "1", ...headers };
    const response = await http.open({ method: "POST", path: `/${method.id}`, key, body, headers: own });
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { status: response.statusCode ?? 0, type: response.headers["content-type"] ?? "", body: Buffer.concat(chunks) };
  } catch (error) {
    throw signal?.aborted === true ? new Error("the call was aborted", { cause: error }) : error;
  } finally {
    http.close();
  }
}

/** Converts a JSON request to a binary message and calls a method with it as an agent would. */
export async function callPlainly(url: string, method: Method, message: Json, key: string): Promise<ConnectOutcome> {
  const { input, output } = method.descriptor;
  const { status, body } = await sendPlain(url, method, Buffer.from(toBinary(input, fromJson(input, message))), { key });
  if (status === 200) return { code: "ok", reason: "", text: "", body: toJson(output, fromBinary(output, body)) };
  const failed = errorFromJsonBytes(body, undefined, new ConnectError(`HTTP ${status}`, Code.Unknown));
  const [info] = failed.findDetails(ErrorInfoSchema);
  return { code: Code[failed.code], reason: info?.reason ?? "", text: failed.rawMessage, body: null };
}
