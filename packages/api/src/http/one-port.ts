import type { Server as HttpServer } from "node:http";
import { createServer as createHttp2Server, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { type AddressLimit, createAddressLimit, sourceNetwork, systemClock } from "@cloudwright/platform";
import { createConnectionQueue } from "./connection-queue.ts";
import { createUnansweredStreams, type UnansweredStreams } from "./unanswered-streams.ts";

/** A clear-text port that accepts both HTTP/1.1 and HTTP/2 with prior knowledge. */
export interface OnePort {
  /** Returns the number of open connections. */
  connections(): number;
  listen(address: { host: string; port: number }): Promise<AddressInfo>;
  close(): Promise<void>;
}

/** How long a new connection may take to send its first bytes. */
const firstBytesMs = 10_000;
/** Timeout for HTTP/2 sessions without traffic. Watch streams send bookmarks more often than this. */
const idleSessionMs = 60_000;
const maxConnections = 10_000;
/** Default limit on open connections from one remote address. */
const connectionsPerAddress = 2500;
/** A client that resets more streams than this, at once or per second, is disconnected. Each reset stream costs about 0.1 ms. */
const resets = { streamResetBurst: 200, streamResetRate: 33 };
const lastWordsMs = 100;
const preface = "PRI * HTTP/2.0";

/** Creates the port. It reads the first bytes of each connection and hands the connection to the HTTP/1.1 or HTTP/2 server. */
export function createOnePort(
  http1: HttpServer,
  onHttp2: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
  addresses: AddressLimit = createAddressLimit(connectionsPerAddress),
  unanswered: UnansweredStreams = createUnansweredStreams({ clock: systemClock }),
): OnePort {
  const http2 = createHttp2Server({ settings: { maxConcurrentStreams: 1000 }, maxSessionMemory: 64, ...resets }, onHttp2);
  const sockets = new Set<Socket>();
  const queue = createConnectionQueue();
  http2.on("sessionError", () => undefined);
  http2.on("session", (session) => {
    session.setTimeout(idleSessionMs, () => session.destroy());
    unanswered.watch(session);
  });
  // The server is not a proxy, so it rejects CONNECT requests. Without this listener, Node would end the connection but leave it
  // half-closed.
  http1.on("connect", (_request, socket: Socket) => socket.resetAndDestroy());
  // Node starts checking header and request timeouts on the `listening` event. This server never listens itself.
  http1.emit("listening");
  const server: Server = createServer({ noDelay: true }, (socket) => {
    const release = addresses.open(socket.remoteAddress ?? "");
    if (release === undefined) return void socket.resetAndDestroy();
    sockets.add(socket);
    socket.on("close", () => {
      sockets.delete(socket);
      release();
    });
    socket.on("error", () => socket.destroy());
    socket.setTimeout(firstBytesMs, () => socket.resetAndDestroy());
    socket.once("readable", () => {
      const first = socket.read() as Buffer | null;
      if (first === null) return socket.destroy();
      socket.setTimeout(0);
      socket.removeAllListeners("timeout");
      socket.unshift(first);
      // Three bytes are enough: no HTTP/1.1 method starts like the HTTP/2 preface.
      const isHttp2 = first.toString("latin1", 0, 3) === preface.slice(0, 3);
      const address = socket.remoteAddress ?? "";
      if (isHttp2 && !unanswered.admits(address)) return socket.resetAndDestroy();
      if (isHttp2) resetOnClose(socket);
      return queue.add(sourceNetwork(address), socket, first.length, () => (isHttp2 ? http2 : http1).emit("connection", socket));
    });
  });
  server.maxConnections = maxConnections;
  return {
    connections: () => sockets.size,
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, host, () => {
          server.removeListener("error", reject);
          resolve(server.address() as AddressInfo);
        });
      }),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Allows time to send responses that have just been written.
      setTimeout(() => http1.closeIdleConnections(), lastWordsMs);
      setTimeout(() => sockets.forEach((socket) => socket.destroy()), 1_000).unref();
      await closed;
    },
  };
}

/** Resets an HTTP/2 connection when the server closes it. If the peer keeps its side open, the connection would stay half closed. */
function resetOnClose(socket: Socket): void {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error) => {
    socket.destroy = destroy;
    return socket.destroyed ? destroy(error) : socket.resetAndDestroy();
  };
}
