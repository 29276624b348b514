import { fromBinary, fromJson, toBinary, type Message } from "@bufbuild/protobuf";
import { methods, type Json, type Method } from "@cloudwright/contract";
import { Code, ConnectError } from "@connectrpc/connect";
import { codeToHttpStatus, errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Answer } from "../../calls/answer.ts";
import { requireCaller, type Call } from "../../calls/authorise.ts";
import { requireValid } from "../../calls/decode.ts";
import { invoke, type MethodInput } from "../../calls/invoke.ts";
import { bodyOwnerOf, isHeldUntilRead, waitsForOthers } from "../../calls/method-turns.ts";
import type { Credentials } from "../../identity/authenticate.ts";
import { awaitDelivery, isGone, signalOf } from "../delivery.ts";
import { pacedBytes } from "../pace.ts";
import { toFault } from "../problem.ts";
import { requireServed } from "../served.ts";
import { toConnectError } from "./errors.ts";
import { requestIdOf } from "./observe-call.ts";
import type { ConnectDeps } from "./routes.ts";

export interface WorkDeps extends ConnectDeps {
  admit(credentials: Credentials, source: string, requestId: string): Promise<Call>;
}

const workMethods: ReadonlyMap<string, Method> = new Map(
  methods.filter(({ kind }) => kind === "Work").map((method) => [`/${method.id}`, method]),
);

/** Upper bound for the ratio of a parsed message's memory to its encoded size. */
const parsedFactor = 64;

/**
 * Creates a fast handler for ordinary agent calls: task methods over the Connect protocol with a small, uncompressed binary message.
 * Connect's own handler gives the same responses but takes 0.25 ms of CPU time per call. That was a quarter of the CPU time that the server
 * spent on a new cluster. The returned function returns false for requests that Connect's handler must serve.
 */
export function createWorkHandler(deps: WorkDeps): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const method = workMethods.get(request.url ?? "");
    if (method === undefined || !isPlain(request)) return false;
    serve(deps, method, request, response).catch((error: unknown) => {
      if (isGone(response)) return;
      const failure = error instanceof ConnectError ? error : toConnectError(toFault(error, deps.log, requestIdOf(request)));
      send(response, codeToHttpStatus(failure.code), "application/json", errorToJsonBytes(failure, undefined));
    });
    return true;
  };
}

function isPlain({ httpVersionMajor, method, headers }: IncomingMessage): boolean {
  return (
    httpVersionMajor === 1 &&
    method === "POST" &&
    headers["content-type"] === "application/proto" &&
    headers["connect-protocol-version"] === "1" &&
    headers["content-encoding"] === undefined &&
    headers["accept-encoding"] === undefined &&
    headers.cookie === undefined &&
    Number(headers["content-length"]) <= pacedBytes
  );
}

async function serve(deps: WorkDeps, method: Method, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Authenticates before the body is read and parsed.
  const call = await deps.admit(readCredentials(request), request.socket.remoteAddress ?? "", requestIdOf(request));
  requireCaller(call);
  requireServed(deps.served, method);
  using held = deps.bodies.open(bodyOwnerOf(call, method));
  // A long poll does not wait for a turn, so its message is parsed immediately. Its estimated parsed size is therefore counted from the
  // start.
  held.add(Number(request.headers["content-length"]) * (method.verb === "lease" ? parsedFactor : 1));
  const sent = await readBody(request);
  const heard = waitsForOthers(method) ? { ...call, signal: signalOf(response, deps.closing) } : call;
  const deliver = async (): Promise<void> => {
    const message = parse(method, sent);
    requireValid(method.descriptor.input, message, "the request");
    const body = renderBinary(method, await invoke(deps, heard, method, { ...message } as Partial<MethodInput>));
    if (body.length > pacedBytes) await deps.pace();
    if (!isGone(response)) send(response, 200, "application/proto", body);
    if (isHeldUntilRead(method, body.length)) await awaitDelivery(response, body.length);
  };
  await deps.turns.run(call, method, deliver, { isGone: () => isGone(response) });
}

function readCredentials({ method = "", headers }: IncomingMessage): Credentials {
  const header = (name: string): string | undefined => headers[name] as string | undefined;
  return {
    method,
    authorization: headers.authorization,
    cookie: undefined,
    csrfHeader: header("x-cloudwright-csrf"),
    origin: headers.origin,
    host: headers.host,
    secFetchSite: header("sec-fetch-site"),
  };
}

function readBody(request: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.on("error", reject);
    if (request.destroyed) reject(new ConnectError("the caller has disconnected", Code.Canceled));
  });
}

function parse({ descriptor: { input } }: Method, body: Uint8Array): Message {
  try {
    return fromBinary(input, body);
  } catch (error) {
    throw new ConnectError(`parse binary: ${ConnectError.from(error).rawMessage}`, Code.InvalidArgument);
  }
}

function renderBinary({ descriptor: { output } }: Method, answer: Answer): Uint8Array {
  // `answer.body` may be a getter that renders JSON, so it is read only if there is no message.
  return toBinary(output, answer.message ?? fromJson(output, JSON.parse(answer.body) as Json, { ignoreUnknownFields: true }));
}

function send(response: ServerResponse, status: number, type: string, body: Uint8Array): void {
  response.writeHead(status, { "content-type": type, "content-length": body.length });
  response.end(body);
}
