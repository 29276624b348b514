import { Fault } from "@cloudwright/platform/fault";
import type { AnyEntity, Page, Stored, WatchEvent } from "./entity.ts";
import { clientFaults } from "./faults.ts";
import type { Call, Transport } from "./transport.ts";
import { watch, type WatchOptions } from "./watch.ts";

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Filters and sorts a list of entities. */
export interface ListQuery extends CallOptions {
  /** A label selector such as `tier=prod,app in (a,b)`. */
  readonly labelSelector?: string | undefined;
  /** A field filter such as `status.phase=RUNNING,spec.region!=eu-west-1`. */
  readonly filter?: string | undefined;
  readonly orderBy?: "name" | "-name" | "createdAt" | "-createdAt" | "updatedAt" | "-updatedAt" | undefined;
  /** The number of entities per page, at most 1000. Default: 100. */
  readonly pageSize?: number | undefined;
  readonly pageToken?: string | undefined;
  /** Returns only direct children of this entity, given by name or uid. */
  readonly parent?: string | undefined;
}

export interface WriteOptions extends CallOptions {
  /** Called with the operation's name if the change starts an operation. */
  readonly onAccepted?: ((operation: string) => void) | undefined;
  /** Called for each warning in the response. Default: the client's `onWarning`. */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

export interface CreateOptions extends WriteOptions {
  /** Validates the request without storing anything. */
  readonly dryRun?: boolean;
  /** Sent with every attempt, so that retries are safe. Default: a random key. */
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

/** Destructive changes that a request allows without approval. Accepted only for kinds that are built by runs. */
export type Allowance = "replace" | "delete" | "removed-apis";

export interface DeleteOptions extends WriteOptions {
  /** Also deletes all descendants of the entity. */
  readonly cascade?: boolean;
  /** Deletes the entity even if some cloud resources cannot be removed. Those resources are recorded as abandoned. */
  readonly force?: boolean;
  /** The version that the entity must have. If its current version differs, the request is rejected. */
  readonly resourceVersion?: string;
  readonly dryRun?: boolean;
  /** Whether to retain or delete the volumes of persistent volume claims. Default: the cluster's `claimVolumes` setting. */
  readonly volumes?: "retain" | "delete" | undefined;
  /**
   * Starts an operation that lists what would be deleted, without deleting anything. `onAccepted` receives the operation's name. Supported
   * only for clusters.
   */
  readonly preview?: boolean;
}

export interface ActOptions extends WriteOptions {
  /** Whether the request may be repeated if no response arrives. Default: true. */
  readonly replayable?: boolean;
  /** The parameters of the verb. */
  readonly body?: object;
  /** Allows the entity not to exist yet. Set only for previews. */
  readonly allowMissing?: boolean;
}

/** One collection on the server, such as the clusters of a project. */
export interface Resource<Entity extends AnyEntity> {
  create(entity: Entity, options?: CreateOptions): Promise<Stored<Entity>>;
  get(name: string, options?: CallOptions): Promise<Stored<Entity>>;
  list(query?: ListQuery): Promise<Page<Stored<Entity>>>;
  /** Yields the entities from all pages. */
  listAll(query?: ListQuery): AsyncIterable<Stored<Entity>>;
  /** Replaces the spec. Rejected if `metadata.resourceVersion` is set and not current. */
  update(name: string, entity: Entity, options?: UpdateOptions): Promise<Stored<Entity>>;
  /** Changes only the given fields. A null value clears a field. */
  patch(name: string, patch: object, options?: PatchOptions): Promise<Stored<Entity>>;
  delete(name: string, options?: DeleteOptions): Promise<Stored<Entity>>;
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<Entity>>;
  /** Calls a custom verb such as `pause`. */
  act(name: string, verb: string, options?: ActOptions): Promise<Stored<Entity>>;
}

/** Creates the client for a collection at a path such as `/v1/projects/default/clusters`. */
export function createResource<Entity extends AnyEntity>(transport: Transport, path: string): Resource<Entity> {
  const at = (name: string): string => `${path}/${pathSegment(name)}`;
  const send = (call: Call): Promise<Stored<Entity>> => transport.send(call);
  return {
    create: async (entity, { signal, onAccepted, onWarning, dryRun, idempotencyKey = globalThis.crypto.randomUUID() } = {}) =>
      send({
        method: "POST",
        path,
        query: { dryRun },
        body: entity,
        headers: { "idempotency-key": idempotencyKey },
        signal,
        onAccepted,
        onWarning,
        replayable: true,
      }),
    get: async (name, { signal } = {}) => send({ method: "GET", path: at(name), signal, replayable: true }),
    list: (query) => listPage(transport, path, query),
    listAll: (query) => listAll(transport, path, query),
    update: async (name, entity, { signal, onAccepted, onWarning, dryRun, allowMissing, allow } = {}) =>
      send({
        method: "PUT",
        path: at(name),
        query: { dryRun, allowMissing, allow },
        body: entity,
        signal,
        onAccepted,
        onWarning,
        replayable: hasNoPrecondition(entity),
      }),
    patch: async (name, patch, { signal, onAccepted, onWarning, dryRun, allow } = {}) =>
      send({
        method: "PATCH",
        path: at(name),
        query: { dryRun, allow },
        body: patch,
        signal,
        onAccepted,
        onWarning,
        replayable: hasNoPrecondition(patch),
      }),
    delete: async (name, { signal, onAccepted, onWarning, cascade, force, resourceVersion, dryRun, volumes, preview } = {}) =>
      send({
        method: "DELETE",
        path: at(name),
        query: { cascade, force, resourceVersion, dryRun, volumes, preview },
        signal,
        onAccepted,
        onWarning,
        replayable: false,
      }),
    watch: (options = {}) => watch<Entity>(transport, path, { watch: true }, options),
    act: async (name, verb, { signal, onAccepted, onWarning, replayable = true, body = {}, allowMissing } = {}) =>
      send({
        method: "POST",
        path: `${at(name)}:${verb}`,
        query: { allowMissing },
        body,
        signal,
        onAccepted,
        onWarning,
        replayable,
      }),
  };
}

/** Returns one page of a list. `own` contains query parameters that are specific to this list. */
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

/** Yields all items of a list. Requests the next page only when the caller reaches it. */
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

/** Renders a name as a URL path segment. */
export function pathSegment(name: string): string {
  // URL parsing resolves `.` and `..`, so the request would address a different resource.
  if (name === "" || name === "." || name === "..") throw new Fault(clientFaults.bad_name, `"${name}" is not a name`);
  return encodeURIComponent(name);
}

/**
 * Returns whether a write is safe to repeat. A write that requires a version is not, because the first attempt may already have made that
 * version stale.
 */
function hasNoPrecondition(body: AnyEntity): boolean {
  return body.metadata?.resourceVersion === undefined;
}
