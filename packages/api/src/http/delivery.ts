import type { FastifyReply } from "fastify";

/** Smaller responses fit into the buffers of the connection. */
export const largeResponseBytes = 256 * 1024;
/** Time limit for a client to read a large response. */
const readWithinMs = 60_000;

/**
 * Waits until a large response has been handed to the operating system, or the client has disconnected. A client that does not read is
 * disconnected, because the server keeps the response in memory.
 */
export async function awaitDelivery({ raw }: FastifyReply, withinMs = readWithinMs): Promise<void> {
  if (raw.writableFinished || isGone(raw)) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => disconnect(raw), withinMs);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    raw.once("finish", end).once("close", end);
  });
}

/** Returns whether the client has disconnected or cancelled the request. Node does not define `destroyed` for responses over HTTP/2. */
export function isGone(raw: FastifyReply["raw"]): boolean {
  const { stream } = raw as { readonly stream?: { readonly destroyed: boolean; readonly closed: boolean } };
  return stream === undefined ? raw.destroyed : stream.destroyed || stream.closed;
}

/**
 * Ends a response that the client does not read. Over HTTP/1.1, resets the connection, because unsent data would otherwise keep it
 * half-closed.
 */
export function disconnect(raw: FastifyReply["raw"]): void {
  const { stream } = raw as { readonly stream?: { close(): void } };
  if (stream !== undefined) stream.close();
  else raw.socket?.resetAndDestroy();
}
