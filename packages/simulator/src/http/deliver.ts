import type { ServerResponse } from "node:http";

/** How fast a client must read a response. A slower client is disconnected, because the host keeps the response in memory. */
export interface DeliveryLimits {
  /** Time within which the client must read the next chunk. */
  readonly idleMs: number;
  /** Minimum average rate. It limits the time for the whole response to `idleMs` plus the response size divided by this rate. */
  readonly bytesPerSecond: number;
}

/** Text is encoded and encrypted in chunks of this length, so that an unread response occupies little memory. */
const chunkLength = 64 * 1024;

/**
 * Sends a response piece by piece, and requests the next piece only when the client has read the previous one. Resolves when the response
 * has been handed to the operating system, or the client has disconnected. Disconnects a client that does not read, or reads too slowly.
 * Without `bytes`, the response may take any length of time, but the client must still read what was sent.
 */
export async function deliver(
  response: ServerResponse,
  pieces: AsyncIterable<string | Buffer> | Iterable<string | Buffer>,
  bytes: number | undefined,
  { idleMs, bytesPerSecond }: DeliveryLimits,
): Promise<void> {
  // While earlier responses on the same connection are unread, this response has no socket of its own.
  const { socket } = response.req;
  const disconnect = (): void => void socket.destroy();
  const total = bytes === undefined ? undefined : setTimeout(disconnect, idleMs + (bytes / bytesPerSecond) * 1000);
  const waitFor = (event: "drain" | "finish"): Promise<void> => {
    if (response.destroyed || socket.destroyed) return Promise.resolve();
    const idle = setTimeout(disconnect, idleMs);
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(idle);
        response.off(event, end).off("close", end);
        socket.off("close", end);
        resolve();
      };
      response.on(event, end).on("close", end);
      socket.on("close", end);
    });
  };
  try {
    for await (const piece of bytes === undefined ? pieces : join(pieces)) {
      for (const chunk of split(piece)) {
        if (response.destroyed || socket.destroyed) return;
        if (!response.write(chunk)) await waitFor("drain");
      }
    }
    const finished = waitFor("finish");
    response.end();
    await finished;
  } finally {
    clearTimeout(total);
  }
}

/** Joins short pieces, because each write has a cost. */
async function* join(
  pieces: AsyncIterable<string | Buffer> | Iterable<string | Buffer>,
): AsyncGenerator<string | Buffer, void, undefined> {
  let text = "";
  for await (const piece of pieces) {
    if (typeof piece !== "string") {
      yield piece;
      continue;
    }
    text += piece;
    if (text.length < chunkLength) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

function* split(piece: string | Buffer): Generator<string | Buffer> {
  for (let from = 0; from < piece.length;) {
    let to = from + chunkLength;
    // The two halves of a surrogate pair must be encoded together.
    if (typeof piece === "string" && /[\ud800-\udbff]/.test(piece.charAt(to - 1))) to += 1;
    yield typeof piece === "string" ? piece.slice(from, to) : piece.subarray(from, to);
    from = to;
  }
}
