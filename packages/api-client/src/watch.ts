import { Fault } from "@cloudwright/platform/fault";
import type { AnyEntity, Stored, WatchEvent } from "./entity.ts";
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
}

interface Message<Entity> {
  readonly type: string;
  readonly kind?: string;
  readonly resourceVersion?: string;
  readonly object?: Stored<Entity>;
}

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
  const known = createKnown<Entity>();
  const tellSynced = options.resourceVersion === undefined;
  let position = options.resourceVersion;
  let synced = false;
  for (let failures = 0, first = true; ; first = false) {
    if (position === undefined) known.beginListing();
    try {
      const resume = { resourceVersion: position, labelSelector: options.labelSelector, parent: options.parent };
      const body = await transport.open({
        method: "GET",
        path,
        query: { ...query, ...resume },
        signal: options.signal,
        replayable: true,
      });
      for await (const message of readMessages<Entity>(body)) {
        failures = 0;
        if (message.type === "SYNCED") {
          yield* known.endListing();
          if (tellSynced && !synced) yield { type: "SYNCED" };
          synced = true;
        } else if (message.object !== undefined) {
          yield* known.take(message);
        }
        // While the list lasts a position would hide what is still to come, so that a break there starts the list again.
        if (!known.isListing() && message.resourceVersion) position = message.resourceVersion;
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!(error instanceof Fault) && !isBrokenStream(error)) throw error;
      const fault = error instanceof Fault ? error : toFault({ code: "client.unreachable", detail: "the stream broke off" }, 503);
      if (mustList.has(fault.code)) position = undefined;
      else if (first || !["unavailable", "exhausted"].includes(fault.kind)) throw fault;
      options.onReconnect?.(fault);
    }
    await transport.clock.sleep(pauseMs(failures), options.signal);
    failures += 1;
  }
}

async function* readMessages<Entity>(body: ReadableStream<Uint8Array>): AsyncGenerator<Message<Entity>, void> {
  for await (const event of readServerSentEvents(body)) {
    const data = JSON.parse(event.data) as Message<Entity>;
    if (event.event === "ERROR") throw readError(data);
    yield { ...data, type: data.type ?? event.event };
  }
}

function readError(data: unknown): Fault {
  const outer = data as Problem & { object?: Problem };
  const problem = outer.code === undefined && outer.object !== undefined ? outer.object : outer;
  return toFault(problem, typeof problem.status === "number" ? problem.status : 503);
}

/** What `reader.read` throws when the connection goes is a TypeError with a socket error as its cause. */
function isBrokenStream(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && error.name === "AbortError");
}

/** Remembers what the caller was told, so that a second list tells only what changed in between. */
function createKnown<Entity extends AnyEntity>() {
  const told = new Map<string, { kind: string; object: Stored<Entity> }>();
  let listed: Set<string> | undefined;

  function* take({ type, kind = "", object }: Message<Entity>): Generator<WatchEvent<Entity>> {
    const { uid, resourceVersion } = (object as Stored<Entity>).metadata;
    const before = told.get(uid);
    listed?.add(uid);
    const event = { kind, object: object as Stored<Entity> };
    if (type === "DELETED") {
      told.delete(uid);
      yield { type, ...event } as WatchEvent<Entity>;
    } else if (before?.object.metadata.resourceVersion !== resourceVersion) {
      told.set(uid, event);
      yield { type: before === undefined ? type : "MODIFIED", ...event } as WatchEvent<Entity>;
    }
  }

  function* endListing(): Generator<WatchEvent<Entity>> {
    const gone = [...told].filter(([uid]) => listed?.has(uid) === false);
    listed = undefined;
    for (const [uid, event] of gone) {
      told.delete(uid);
      yield { type: "DELETED", ...event } as WatchEvent<Entity>;
    }
  }

  return {
    take,
    endListing,
    isListing: () => listed !== undefined,
    beginListing: () => {
      listed = new Set();
    },
  };
}
