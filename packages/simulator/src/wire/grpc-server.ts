import { once } from "node:events";
import {
  constants,
  createSecureServer,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { describeError, Fault } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";

/** Return value that resets the stream instead of sending a reply, as if the connection had been lost. */
export const dropped = Symbol("dropped");

/** Handles one call. `session` is the connection that carries it. */
export type GrpcMethod = (request: Buffer, session: ServerHttp2Session) => Promise<Uint8Array | typeof dropped>;

/** The unary methods, keyed by path, and the paths whose streams stay open without sending messages. */
export interface GrpcService {
  readonly methods: ReadonlyMap<string, GrpcMethod>;
  readonly silent: ReadonlySet<string>;
}

/** A listening gRPC server. */
export interface GrpcServer {
  /** Closes all connections, even those with a call in progress. */
  close(): Promise<void>;
}

interface GrpcServerOptions {
  readonly socket: string;
  /** Enables mutual TLS. If omitted, connections are unencrypted. */
  readonly tls?: { readonly keyPem: string; readonly certificatePem: string; readonly clientPem: string } | undefined;
  readonly onSessions?: ((open: number) => void) | undefined;
}

// With the default window of 64 KiB, a state of several megabytes would need many round trips.
const settings = { initialWindowSize: 4 * 1024 * 1024, maxConcurrentStreams: 1000 };

/** Starts a server for unary gRPC calls on a Unix socket. */
export async function listenGrpc(service: GrpcService, options: GrpcServerOptions): Promise<GrpcServer> {
  const server = createHttp2Server(options.tls);
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    options.onSessions?.(sessions.size);
    session.on("error", () => session.destroy());
    session.on("close", () => {
      sessions.delete(session);
      options.onSessions?.(sessions.size);
    });
  });
  server.on("stream", (stream, headers) => serve(service, stream, headers));
  server.on("sessionError", ignore);
  server.listen(options.socket);
  await once(server, "listening");
  return {
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

function createHttp2Server(tls: GrpcServerOptions["tls"]): Http2Server {
  if (tls === undefined) return createServer({ settings });
  return createSecureServer({
    settings,
    key: tls.keyPem,
    cert: tls.certificatePem,
    ca: tls.clientPem,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
  });
}

function serve(service: GrpcService, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  stream.on("error", ignore);
  const path = headers[":path"] ?? "";
  if (service.silent.has(path)) {
    stream.respond({ ":status": 200, "content-type": "application/grpc" });
    stream.resume();
    return;
  }
  const method = service.methods.get(path);
  if (method === undefined) return fail(stream, 12, `${path} is not implemented`);
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  stream.on("end", () => void answer(method, stream, Buffer.concat(chunks)));
}

async function answer(method: GrpcMethod, stream: ServerHttp2Stream, body: Buffer): Promise<void> {
  const { session } = stream;
  if (session === undefined) return;
  try {
    const reply = await method(unframe(body), session as ServerHttp2Session);
    if (reply === dropped) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    else respond(stream, reply);
  } catch (error) {
    fail(stream, 13, describeError(error));
  }
}

function respond(stream: ServerHttp2Stream, reply: Uint8Array): void {
  if (stream.destroyed) return;
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(reply.length, 1);
  stream.end(Buffer.concat([frame, reply]));
}

function fail(stream: ServerHttp2Stream, status: number, message: string): void {
  if (stream.destroyed || stream.headersSent) return;
  const headers = { "grpc-status": String(status), "grpc-message": encodeURIComponent(message) };
  stream.respond({ ":status": 200, "content-type": "application/grpc", ...headers }, { endStream: true });
}

function unframe(body: Buffer): Buffer {
  if (body.length < 5 || body[0] !== 0 || body.readUInt32BE(1) !== body.length - 5) {
    throw new Fault(simulatorFaults.bad_message, "gRPC: expected exactly one uncompressed message");
  }
  return body.subarray(5);
}

// When a killed client resets its streams, no client remains to receive the error.
function ignore(): void {}
