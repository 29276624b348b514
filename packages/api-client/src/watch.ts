import { Fault } from "@cloudwright/platform/fault";
import type { AnyEntity, Stored, WatchEvent } from "./entity.ts";
import { clientFaults } from "./faults.ts";
import { createKnownEntities } from "./known-entities.ts";
import { toFault, type Problem } from "./problem.ts";
import { readServerSentEvents } from "./server-sent-events.ts";
import { pauseMs, type Transport } from "./transport.ts";

/** What to watch, and whom to tell about trouble on the way. */
export interface WatchOptions {
  readonly labelSelector?: string;
  /** Only entities directly below this one, by name or uid. */
  readonly parent?: string;
  /** Begin after this instead of with everything that exists. */
  readonly resourceVersion?: string;
  readonly signal?: AbortSignal | undefined;
  /** Called when the stream broke and is being opened again. */
  readonly onReconnect?: (fault: Fault) => void;
  /** Called each time that a stream is open: what is known is followed again, also when nothing changes. */
  readonly onOpen?: () => void;
}

/** The server says something every 15 s; a connection that was silent for so long is dead, whatever the network says. */
const silenceMs = 60_000;

const mustList = new Set(["store.watch_expired", "api.watch_too_slow"]);

/**
 * Follows changes for as long as the caller reads. A broken stream is resumed where it stopped; when the server no longer
 * has that position everything is listed again. Either way each change is told once, and what vanished meanwhile as DELETED.
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
  // Until the first stream is open there may be nobody there, which the caller wants to hear at once.
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
      for await (const message of readMessages<Entity>(body, transport)) {
        failures = 0;
        if (message.type === "SYNCED") {
          yield* known.endListing();
          if (tellSynced && !synced) yield { type: "SYNCED" };
          synced = true;
        } else if (message.object !== undefined) yield* known.take({ ...message, object: message.object });
        // While the list lasts a position would hide what is still to come, so that a break there starts the list again.
        if (!known.isListing() && isAfter(message.resourceVersion, position)) position = message.resourceVersion;
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof Fault)) throw error;
      if (mustList.has(error.code)) position = undefined;
      // A stream also ends when the caller's rights change: what they see now is listed, and whether they still suffice is answered then.
      else if (isStreaming && error.code === "api.unauthenticated") position = undefined;
      else if (!isStreaming && !(isOpen && ["unavailable", "exhausted"].includes(error.kind))) throw error;
      options.onReconnect?.(error);
    }
    await transport.clock.sleep(pauseMs(failures), options.signal);
    failures += 1;
  }
}

/** Positions are `transaction.number`. A bookmark can lie behind the list that came before it, and would bring back what is known. */
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
  { clock }: Transport,
): AsyncGenerator<Message<Entity>, void> {
  for await (const { event, data } of readServerSentEvents(body, { clock, silenceMs })) {
    const message = parseMessage<Entity>(data);
    if (event === "ERROR") throw readError(message);
    yield { kind: "", ...message, type: message.type ?? event };
  }
}

function parseMessage<Entity>(data: string): Partial<Message<Entity>> {
  try {
    return JSON.parse(data) as Partial<Message<Entity>>;
  } catch (cause) {
    throw new Fault(clientFaults.bad_answer, "a message of the stream is not JSON", { cause });
  }
}

function readError(data: unknown): Fault {
  const outer = data as Problem & { object?: Problem };
  const problem = outer.code === undefined && outer.object !== undefined ? outer.object : outer;
  return toFault(problem, typeof problem.status === "number" ? problem.status : 503);
}
