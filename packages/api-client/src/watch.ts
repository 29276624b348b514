import { Fault } from "@cloudwright/platform/fault";
import type { AnyEntity, Stored, WatchEvent } from "./entity.ts";
import { clientFaults } from "./faults.ts";
import { createKnownEntities } from "./known-entities.ts";
import { toFault, type Problem } from "./problem.ts";
import { readServerSentEvents } from "./server-sent-events.ts";
import { pauseMs, type Transport } from "./transport.ts";

/** The target of a watch, and callbacks for the state of the connection. */
export interface WatchOptions {
  readonly labelSelector?: string;
  /** Watches only direct children of this entity, given by name or uid. */
  readonly parent?: string;
  /** Starts after this version instead of listing all existing entities first. */
  readonly resourceVersion?: string;
  readonly signal?: AbortSignal | undefined;
  /** Called after the stream breaks and before it is reopened. */
  readonly onReconnect?: (fault: Fault) => void;
  /** Called each time a stream has been opened, even if nothing has changed. */
  readonly onOpen?: () => void;
}

/** The server sends a message at least every 15 s. A connection that is silent for this long is considered dead. */
const silenceMs = 60_000;

const mustList = new Set(["store.watch_expired", "api.watch_too_slow"]);

/**
 * Yields changes for as long as the caller reads. If the stream breaks, it resumes where it stopped. If the server no longer has that
 * position, everything is listed again. Each change is yielded once. Entities that disappeared in between are yielded as DELETED.
 */
export async function* watch<Entity extends AnyEntity>(
  transport: Transport,
  path: string,
  query: Readonly<Record<string, string | boolean | undefined>>,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<Entity>, void> {
  const known = createKnownEntities<Entity>();
  const tellSynced = options.resourceVersion === undefined;
  let position = options.resourceVersion;
  let synced = false;
  // False until the first stream has been opened. Before that, connection errors are thrown, because the server address may be wrong.
  let isOpen = false;
  let failures = 0;
  for (;;) {
    if (position === undefined) known.beginListing();
    let isStreaming = false;
    try {
      const resume = { resourceVersion: position, labelSelector: options.labelSelector, parent: options.parent };
      const call = { method: "GET", path, query: { ...query, ...resume }, signal: options.signal, replayable: true } as const;
      const body = await transport.open(call);
      isOpen = isStreaming = true;
      options.onOpen?.();
      for await (const message of readMessages<Entity>(body, { ...options, clock: transport.clock })) {
        failures = 0;
        if (message.type === "SYNCED") {
          yield* known.endListing();
          if (tellSynced && !synced) yield { type: "SYNCED" };
          synced = true;
        } else if (message.object !== undefined) yield* known.take({ ...message, object: message.object });
        // The position does not advance during a listing, because resuming from a position within the list would skip the rest of the
        // list.
        if (!known.isListing() && isAfter(message.resourceVersion, position)) position = message.resourceVersion;
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof Fault)) throw error;
      if (mustList.has(error.code)) position = undefined;
      // The server also ends a stream when the caller's permissions change. A new listing returns only what the caller may still see, or
      // fails if the caller no longer has access.
      else if (isStreaming && error.code === "api.unauthenticated") position = undefined;
      else if (!isStreaming && !(isOpen && ["unavailable", "exhausted"].includes(error.kind))) throw error;
      options.onReconnect?.(error);
    }
    await transport.clock.sleep(pauseMs(failures), options.signal);
    failures += 1;
  }
}

/**
 * Returns whether `next` is newer than `position`. Positions have the form `transaction.number`. A bookmark can be older than the preceding
 * list, and resuming from it would repeat known changes.
 */
function isAfter(next: string | undefined, position: string | undefined): boolean {
  if (!next) return false;
  const [a, b] = [next, position ?? ""].map((text) => /^(\d+)\.(\d+)$/.exec(text));
  if (!a || !b) return true;
  const byTransaction = BigInt(a[1] as string) - BigInt(b[1] as string);
  return byTransaction > 0n || (byTransaction === 0n && BigInt(a[2] as string) > BigInt(b[2] as string));
}

interface Message<Entity> {
  readonly type: string;
  readonly kind: string;
  readonly resourceVersion?: string;
  readonly object?: Stored<Entity>;
}

async function* readMessages<Entity>(
  body: ReadableStream<Uint8Array>,
  { clock, signal }: Pick<Transport, "clock"> & Pick<WatchOptions, "signal">,
): AsyncGenerator<Message<Entity>, void> {
  for await (const { event, data } of readServerSentEvents(body, { clock, silenceMs, signal })) {
    const message = parseMessage<Entity>(data);
    if (event === "ERROR") throw readError(message);
    yield { kind: "", ...message, type: message.type ?? event };
  }
}

function parseMessage<Entity>(data: string): Partial<Message<Entity>> {
  try {
    return JSON.parse(data) as Partial<Message<Entity>>;
  } catch (cause) {
    throw new Fault(clientFaults.bad_answer, "the stream contains a message that is not JSON", { cause });
  }
}

function readError(data: unknown): Fault {
  const outer = data as Problem & { object?: Problem };
  const problem = outer.code === undefined && outer.object !== undefined ? outer.object : outer;
  return toFault(problem, typeof problem.status === "number" ? problem.status : 503);
}
