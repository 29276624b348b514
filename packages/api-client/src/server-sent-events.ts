import type { Clock } from "@cloudwright/platform/clock";
import { Fault } from "@cloudwright/platform/fault";
import { clientFaults } from "./faults.ts";

/** One server-sent event. */
export interface ServerSentEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** When to stop reading a stream. */
export interface ReadLimit {
  readonly clock: Clock;
  /** A stream that is silent for this long is considered dead. */
  readonly silenceMs: number;
  /** Ends the reading. The signal of the request is not enough: Node 20 can lose it while the response is being read. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Yields events from a stream as they arrive. Closes the stream when the caller leaves the loop. Throws if the stream is silent for too
 * long, or if the signal is aborted.
 */
export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array>,
  limit: ReadLimit,
): AsyncGenerator<ServerSentEvent, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  let lines: string[] = [];
  try {
    for (;;) {
      const { done, value } = await readInTime(reader, limit);
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = parts.pop() as string;
      for (const part of parts) {
        const line = part.endsWith("\r") ? part.slice(0, -1) : part;
        if (line !== "") {
          lines.push(line);
          continue;
        }
        const event = parseEvent(lines);
        lines = [];
        if (event !== undefined) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function readInTime(reader: Reader, { clock, silenceMs, signal }: ReadLimit): ReturnType<Reader["read"]> {
  signal?.throwIfAborted();
  const heard = new AbortController();
  const silence = clock.sleep(silenceMs, heard.signal).then(() => {
    throw new Fault(clientFaults.unreachable, `nothing was received for ${Math.round(silenceMs / 1000)} s`);
  });
  silence.catch(() => undefined);
  let onAbort: () => void = () => undefined;
  const stop = new Promise<never>((_resolve, reject) => (onAbort = () => reject(signal?.reason as Error)));
  signal?.addEventListener("abort", onAbort, { once: true });
  const read = reader.read().catch((cause: unknown) => {
    throw new Fault(clientFaults.unreachable, "the stream ended unexpectedly", { cause });
  });
  try {
    return await Promise.race([read, silence, stop]);
  } finally {
    signal?.removeEventListener("abort", onAbort);
    heard.abort(new Error("heard"));
  }
}

function parseEvent(lines: readonly string[]): ServerSentEvent | undefined {
  let id: string | undefined;
  let event = "message";
  const data: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const value = line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    const field = line.slice(0, colon);
    if (field === "data") data.push(value);
    else if (field === "event") event = value;
    else if (field === "id") id = value;
  }
  return data.length === 0 ? undefined : { id, event, data: data.join("\n") };
}
