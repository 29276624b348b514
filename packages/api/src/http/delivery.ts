import type { FastifyReply } from "fastify";
import type { ServerResponse } from "node:http";
import type { Http2ServerResponse, ServerHttp2Stream } from "node:http2";
import { Readable } from "node:stream";

/** A Node.js response over HTTP/1.1 or HTTP/2. `write` is omitted, because Connect declares it differently. */
export type RawResponse = ServerResponse | Omit<Http2ServerResponse, "write">;

/** Responses larger than this are sent in chunks. */
export const largeResponseBytes = 256 * 1024;

/** How fast a client must read a response. A slower client is disconnected, because the server keeps the response in memory. */
export interface DeliveryLimits {
  /** Time within which the client must read the next chunk, or the whole response if it is not sent in chunks. */
  readonly idleMs: number;
  /** Minimum average rate. It limits the time for the whole response to `idleMs` plus its size divided by this rate. */
  readonly bytesPerSecond: number;
}

const deliveryLimits: DeliveryLimits = { idleMs: 60_000, bytesPerSecond: 64 * 1024 };

/**
 * Sends a body. A large body is sent in chunks, so that the server encodes only a part at a time and notices when the client stops reading.
 */
export function sendBody(reply: FastifyReply, body: string | Buffer): void {
  if (body.length <= largeResponseBytes) return void reply.send(body);
  void reply.header("content-length", Buffer.byteLength(body));
  void reply.send(Readable.from(split(body), { objectMode: false }));
}

function* split(body: string | Buffer): Generator<Buffer> {
  for (let from = 0; from < body.length;) {
    let to = from + largeResponseBytes;
    // The two halves of a surrogate pair must be encoded together.
    if (typeof body === "string" && /[\ud800-\udbff]/.test(body.charAt(to - 1))) to += 1;
    yield typeof body === "string" ? Buffer.from(body.slice(from, to)) : body.subarray(from, to);
    from = to;
  }
}

/**
 * Waits until a response has been handed to the operating system, or the client has disconnected. Disconnects a client that does not read,
 * or reads too slowly.
 */
export async function awaitDelivery(
  raw: RawResponse,
  bytes: number,
  { idleMs, bytesPerSecond }: DeliveryLimits = deliveryLimits,
): Promise<void> {
  // Over HTTP/2, the response object finishes only when the client ends its request. The stream finishes as soon as the response has been
  // sent.
  const sent = streamOf(raw) ?? raw;
  if (sent.writableFinished || isGone(raw)) return;
  await new Promise<void>((resolve) => {
    const stop = (): void => {
      disconnect(raw);
      // If the response has no connection, disconnecting does not emit an event.
      end();
    };
    const idle = setTimeout(stop, idleMs);
    const total = setTimeout(stop, idleMs + (bytes / bytesPerSecond) * 1000);
    const progress = (): void => void idle.refresh();
    const end = (): void => {
      clearTimeout(idle);
      clearTimeout(total);
      sent.off("drain", progress).off("finish", end).off("close", end);
      resolve();
    };
    sent.on("drain", progress).on("finish", end).on("close", end);
  });
}

/** Returns whether the client has disconnected or cancelled the request. Node does not define `destroyed` for responses over HTTP/2. */
export function isGone(raw: RawResponse): boolean {
  const stream = streamOf(raw);
  return stream === undefined ? (raw as ServerResponse).destroyed : stream.destroyed || stream.closed;
}

/** Returns a signal that is aborted when the client disconnects or the server closes. */
export function signalOf(raw: ServerResponse, closing: AbortSignal): AbortSignal {
  const gone = new AbortController();
  if (isGone(raw)) gone.abort();
  raw.once("close", () => gone.abort());
  return AbortSignal.any([gone.signal, closing]);
}

/**
 * Ends a response that the client does not read. Over HTTP/1.1, resets the connection, because the unread data would keep the connection
 * half closed.
 */
export function disconnect(raw: RawResponse): void {
  const stream = streamOf(raw);
  if (stream === undefined) raw.socket?.resetAndDestroy();
  else stream.close();
}

function streamOf(raw: RawResponse): ServerHttp2Stream | undefined {
  return "stream" in raw ? raw.stream : undefined;
}
