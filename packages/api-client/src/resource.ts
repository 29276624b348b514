import { Fault } from "@cloudwright/platform/fault";
import type { AnyEntity, Page, Stored, WatchEvent } from "./entity.ts";
import { clientFaults } from "./faults.ts";
import type { Call, Transport } from "./transport.ts";
import { watch, type WatchOptions } from "./watch.ts";

/** What every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Which entities to list, in which order. */
export interface ListQuery extends CallOptions {
  /** `tier=prod,app in (a,b)`. */
  readonly labelSelector?: string | undefined;
  /** `status.phase=RUNNING,spec.region!=eu-west-1`. */
  readonly filter?: string | undefined;
  readonly orderBy?: "name" | "-name" | "createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | undefined;
  /** Entities per page, 100 unless said, at most 1000. */
  readonly pageSize?: number | undefined;
  readonly pageToken?: string | undefined;
  /** Only entities directly below this one, by name or uid. */
  readonly parent?: string | undefined;
}

/** What every call takes that changes something. */
export interface WriteOptions extends CallOptions {
  /** Told the name of the operation that carries the change out, when it needs work. */
  readonly onAccepted?: ((operation: string) => void) | undefined;
}

export interface CreateOptions extends WriteOptions {
  /** Check everything, store nothing. */
  readonly dryRun?: boolean;
  /** Sent with every try of this create, which makes trying again safe; a random one unless said. */
  readonly idempotencyKey?: string;
}

export interface UpdateOptions extends WriteOptions {
  readonly dryRun?: boolean;
  /** Create it when it does not exist. */
  readonly allowMissing?: boolean;
  readonly allow?: readonly Allowance[];
}

export interface PatchOptions extends WriteOptions {
  readonly dryRun?: boolean;
  readonly allow?: readonly Allowance[];
}

/** What a change may do to what holds data or traffic without asking again; only kinds that are built by runs take it. */
export type Allowance = "replace" | "delete" | "removed-apis";

export interface DeleteOptions extends WriteOptions {
  /** Delete what is below it too. */
  readonly cascade?: boolean;
  /** Give up on what cannot be removed: it is recorded as abandoned, and the entity goes. */
  readonly force?: boolean;
  /** When given, must be the current one. */
  readonly resourceVersion?: string;
  readonly dryRun?: boolean;
}

export interface ActOptions extends WriteOptions {
  /** Whether it may be sent again when no answer comes; it may unless said. */
  readonly replayable?: boolean;
  /** What the verb takes. */
  readonly body?: object;
  /** Of a preview: also of what does not exist. */
  readonly allowMissing?: boolean;
}

/** One collection of entities on the server, of one kind in one place. */
export interface Resource<Entity extends AnyEntity> {
  create(entity: Entity, options?: CreateOptions): Promise<Stored<Entity>>;
  get(name: string, options?: CallOptions): Promise<Stored<Entity>>;
  list(query?: ListQuery): Promise<Page<Stored<Entity>>>;
  /** All pages, one entity after the other. */
  listAll(query?: ListQuery): AsyncIterable<Stored<Entity>>;
  /** Replaces the spec. A `metadata.resourceVersion` in it must be the current one. */
  update(name: string, entity: Entity, options?: UpdateOptions): Promise<Stored<Entity>>;
  /** Changes the fields given; null clears one. */
  patch(name: string, patch: object, options?: PatchOptions): Promise<Stored<Entity>>;
  delete(name: string, options?: DeleteOptions): Promise<Stored<Entity>>;
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<Entity>>;
  /** A custom verb of the kind, for example `pause`. */
  act(name: string, verb: string, options?: ActOptions): Promise<Stored<Entity>>;
}

/** The collection at a path such as `/v1/projects/default/clusters`. */
export function createResource<Entity extends AnyEntity>(transport: Transport, path: string): Resource<Entity> {
  const at = (name: string): string => `${path}/${pathSegment(name)}`;
  const send = (call: Call): Promise<Stored<Entity>> => transport.send(call);
  return {
    create: async (entity, { signal, onAccepted, dryRun, idempotencyKey = globalThis.crypto.randomUUID() } = {}) =>
      send({
        method: "POST",
        path,
        query: { dryRun },
        body: entity,
        headers: { "idempotency-key": idempotencyKey },
        signal,
        onAccepted,
        replayable: true,
      }),
    get: async (name, { signal } = {}) => send({ method: "GET", path: at(name), signal, replayable: true }),
    list: (query) => listPage(transport, path, query),
    listAll: (query) => listAll(transport, path, query),
    update: async (name, entity, { signal, onAccepted, dryRun, allowMissing, allow } = {}) =>
      send({
        method: "PUT",
        path: at(name),
        query: { dryRun, allowMissing, allow },
        body: entity,
        signal,
        onAccepted,
        replayable: hasNoPrecondition(entity),
      }),
    patch: async (name, patch, { signal, onAccepted, dryRun, allow } = {}) =>
      send({
        method: "PATCH",
        path: at(name),
        query: { dryRun, allow },
        body: patch,
        signal,
        onAccepted,
        replayable: hasNoPrecondition(patch),
      }),
    delete: async (name, { signal, onAccepted, cascade, force, resourceVersion, dryRun } = {}) =>
      send({
        method: "DELETE",
        path: at(name),
        query: { cascade, force, resourceVersion, dryRun },
        signal,
        onAccepted,
        replayable: false,
      }),
    watch: (options = {}) => watch<Entity>(transport, path, { watch: true }, options),
    act: async (name, verb, { signal, onAccepted, replayable = true, body = {}, allowMissing } = {}) =>
      send({ method: "POST", path: `${at(name)}:${verb}`, query: { allowMissing }, body, signal, onAccepted, replayable }),
  };
}

/** One page of whatever a path lists; `own` are parameters that only this list has. */
export async function listPage<Item>(
  transport: Transport,
  path: string,
  query: ListQuery = {},
  own: Call["query"] = {},
): Promise<Page<Item>> {
  const { signal, labelSelector, filter, orderBy, pageSize, pageToken, parent } = query;
  const answer = await transport.send<Partial<Page<Item>>>({
    method: "GET",
    path,
    query: { labelSelector, filter, orderBy, pageSize, pageToken, parent, ...own },
    signal,
    replayable: true,
  });
  return { ...answer, items: answer.items ?? [] };
}

/** Every item of whatever a path lists; the next page is asked for when the caller gets there. */
export async function* listAll<Item>(
  transport: Transport,
  path: string,
  query: ListQuery = {},
  own: Call["query"] = {},
): AsyncGenerator<Item, void> {
  let pageToken = query.pageToken;
  do {
    const page: Page<Item> = await listPage(transport, path, { ...query, pageToken }, own);
    yield* page.items;
    pageToken = page.nextPageToken;
  } while (pageToken);
}

/** A name as part of a path. */
export function pathSegment(name: string): string {
  // URLs resolve dots before the request is sent, which would make it a request for something else.
  if (name === "" || name === "." || name === "..") throw new Fault(clientFaults.bad_name, `"${name}" is not a name`);
  return encodeURIComponent(name);
}

/** Sent twice, a write that names the version it builds on would contradict itself. */
function hasNoPrecondition(body: AnyEntity): boolean {
  return body.metadata?.resourceVersion === undefined;
}
