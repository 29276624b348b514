import { Fault } from "@cloudwright/platform/fault";
import type { AnyEntity, Page, Stored, WatchEvent } from "./entity.ts";
import { clientFaults } from "./faults.ts";
import type { Call, Transport } from "./transport.ts";
import { watch, type WatchOptions } from "./watch.ts";

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Selects and orders entities of a list. */
export interface ListQuery extends CallOptions {
  /** For example `tier=prod,app in (a,b)`. */
  readonly labelSelector?: string | undefined;
  /** For example `status.phase=RUNNING,spec.region!=eu-west-1`. */
  readonly filter?: string | undefined;
  readonly orderBy?: "name" | "-name" | "createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | undefined;
  /** Entities per page. Default 100, at most 1000. */
  readonly pageSize?: number | undefined;
  readonly pageToken?: string | undefined;
  /** Only entities directly below this one, by name or uid. */
  readonly parent?: string | undefined;
}

/** Options of every call that changes something. */
export interface WriteOptions extends CallOptions {
  /** Called with the name of the operation that carries out the change, if it needs one. */
  readonly onAccepted?: ((operation: string) => void) | undefined;
}

export interface CreateOptions extends WriteOptions {
  /** Validates everything and stores nothing. */
  readonly dryRun?: boolean;
  /** Sent with every attempt of this create, which makes retries safe. Default: a random key. */
  readonly idempotencyKey?: string;
}

export interface UpdateOptions extends WriteOptions {
  readonly dryRun?: boolean;
  /** Creates the entity if it does not exist. */
  readonly allowMissing?: boolean;
  readonly allow?: readonly Allowance[];
}

export interface PatchOptions extends WriteOptions {
  readonly dryRun?: boolean;
  readonly allow?: readonly Allowance[];
}

/** The destructive changes to data or traffic that a request allows without an approval. Only kinds that are built by runs accept it. */
export type Allowance = "replace" | "delete" | "removed-apis";

export interface DeleteOptions extends WriteOptions {
  /** Also deletes everything below it. */
  readonly cascade?: boolean;
  /** Gives up resources that cannot be removed: they are recorded as abandoned, and the entity is deleted. */
  readonly force?: boolean;
  /** If given, must be the current version. */
  readonly resourceVersion?: string;
  readonly dryRun?: boolean;
}

export interface ActOptions extends WriteOptions {
  /** Whether the request may be repeated if there is no answer. Default: true. */
  readonly replayable?: boolean;
  /** The parameters of the verb. */
  readonly body?: object;
  /** For a preview: allows an entity that does not exist. */
  readonly allowMissing?: boolean;
}

/** One collection on the server: the entities of one kind in one place. */
export interface Resource<Entity extends AnyEntity> {
  create(entity: Entity, options?: CreateOptions): Promise<Stored<Entity>>;
  get(name: string, options?: CallOptions): Promise<Stored<Entity>>;
  list(query?: ListQuery): Promise<Page<Stored<Entity>>>;
  /** Yields the entities of all pages. */
  listAll(query?: ListQuery): AsyncIterable<Stored<Entity>>;
  /** Replaces the spec. A `metadata.resourceVersion` in the entity must be the current one. */
  update(name: string, entity: Entity, options?: UpdateOptions): Promise<Stored<Entity>>;
  /** Changes the given fields. Null clears a field. */
  patch(name: string, patch: object, options?: PatchOptions): Promise<Stored<Entity>>;
  delete(name: string, options?: DeleteOptions): Promise<Stored<Entity>>;
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<Entity>>;
  /** Calls a custom verb of the kind, such as `pause`. */
  act(name: string, verb: string, options?: ActOptions): Promise<Stored<Entity>>;
}

/** Creates the client for a collection at a path such as `/v1/projects/default/clusters`. */
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

/** Returns one page of a list. `own` are parameters that only this list has. */
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

/** Yields all items of a list. The next page is requested when the caller reaches it. */
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

/** Renders a name as a path segment. */
export function pathSegment(name: string): string {
  // URLs resolve dots before the request is sent, so that it would address something else.
  if (name === "" || name === "." || name === "..") throw new Fault(clientFaults.bad_name, `"${name}" is not a name`);
  return encodeURIComponent(name);
}

/** A write with a version cannot be repeated, because the first attempt would make the version stale. */
function hasNoPrecondition(body: AnyEntity): boolean {
  return body.metadata?.resourceVersion === undefined;
}
