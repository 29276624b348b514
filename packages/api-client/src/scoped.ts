import type { CreateJoinTokenResponseJson } from "@cloudwright/contract/gen/cloudwright/v1/agent_pb.ts";
import type { KubeconfigJson } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import type { TimelineEntryJson } from "@cloudwright/contract/gen/cloudwright/v1/operation_pb.ts";
import type { TaskLogLineJson } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import type { AnyEntity, EntityByKind, Page, Stored, WatchEvent } from "./entity.ts";
import type { CallOptions, CreateOptions, DeleteOptions, ListQuery, PatchOptions, Resource, UpdateOptions } from "./resource.ts";
import type { WatchOptions } from "./watch.ts";

/** The first arguments of every call of a kind, which say where its entities are. */
export type Nowhere = [];
export type InProject = [project: string];
export type InCluster = [project: string, cluster: string];

/** Kinds that only the platform writes. */
export interface Readable<Place extends string[], Entity extends AnyEntity> {
  get(...args: [...Place, name: string, options?: CallOptions]): Promise<Stored<Entity>>;
  list(...args: [...Place, query?: ListQuery]): Promise<Page<Stored<Entity>>>;
  /** Yields the entities of all pages. */
  listAll(...args: [...Place, query?: ListQuery]): AsyncIterable<Stored<Entity>>;
  /** Yields changes as they are committed, for as long as the caller reads. Reconnects after broken connections. */
  watch(...args: [...Place, options?: WatchOptions]): AsyncIterable<WatchEvent<Entity>>;
}

/** Kinds that users write. */
export interface Writable<Place extends string[], Entity extends AnyEntity> extends Readable<Place, Entity> {
  create(...args: [...Place, entity: Entity, options?: CreateOptions]): Promise<Stored<Entity>>;
  /** Replaces the spec. A `metadata.resourceVersion` in the entity must be the current one. */
  update(...args: [...Place, name: string, entity: Entity, options?: UpdateOptions]): Promise<Stored<Entity>>;
  /** Changes the given fields. Null clears a field. */
  patch(...args: [...Place, name: string, patch: object, options?: PatchOptions]): Promise<Stored<Entity>>;
  delete(...args: [...Place, name: string, options?: DeleteOptions]): Promise<Stored<Entity>>;
}

/** Kinds with work behind them, which can be paused and resumed. */
export interface Pausable<Place extends string[], Entity extends AnyEntity> extends Writable<Place, Entity> {
  pause(...args: [...Place, name: string, options?: CallOptions]): Promise<Stored<Entity>>;
  resume(...args: [...Place, name: string, options?: CallOptions]): Promise<Stored<Entity>>;
}

/** API keys are created, rotated and revoked, but never changed. `status.key` contains the key only in the answers to create and rotate. */
export interface ApiKeys
  extends
    Omit<Readable<Nowhere, EntityByKind["ApiKey"]>, "watch">,
    Pick<Writable<Nowhere, EntityByKind["ApiKey"]>, "create" | "delete"> {
  rotate(name: string, options?: CallOptions): Promise<Stored<EntityByKind["ApiKey"]>>;
}

/** Options of a kubeconfig. */
export interface KubeconfigOptions {
  readonly role?: "admin" | "viewer" | undefined;
  readonly ttlSeconds?: number | undefined;
  readonly exec?: boolean | undefined;
}

/** Clusters, with access to them. */
export interface Clusters extends Pausable<InProject, EntityByKind["Cluster"]> {
  /**
   * Returns a kubeconfig. By default it has all permissions that the caller may have and is valid for an hour. Treat it as a secret. With
   * `exec` the kubeconfig of a real cluster contains no secret: its user authenticates to the cloud.
   */
  kubeconfig(project: string, name: string, options?: CallOptions & KubeconfigOptions): Promise<KubeconfigJson>;
}

/** Agents, which join with a token that an administrator creates. */
export interface Agents extends Writable<InProject, EntityByKind["Agent"]> {
  /** Creates a token with which one agent can join. It works once and is valid for an hour by default. */
  createJoinToken(
    project: string,
    options?: CallOptions & { readonly ttlSeconds?: number | undefined },
  ): Promise<CreateJoinTokenResponseJson>;
}

/** Operations, which the platform creates. Callers can cancel and retry them. */
export interface Operations extends Readable<InProject, EntityByKind["Operation"]> {
  cancel(project: string, name: string, options?: CallOptions): Promise<Stored<EntityByKind["Operation"]>>;
  /** Retries an operation that failed or was cancelled. */
  retry(project: string, name: string, options?: CallOptions): Promise<Stored<EntityByKind["Operation"]>>;
  /** Returns everything that happened for an operation, in order, with up to this many of the last log lines of each task. */
  timeline(
    project: string,
    name: string,
    options?: CallOptions & { readonly logLines?: number | undefined },
  ): Promise<readonly TimelineEntryJson[]>;
}

/** Tasks, which only the platform and its agents write. */
export interface Tasks extends Omit<Readable<InProject, EntityByKind["Task"]>, "watch"> {
  /** Returns one page of a task's log: the lines after `attempt.seq`. */
  logs(
    project: string,
    name: string,
    options?: CallOptions & { readonly after?: string | undefined; readonly pageSize?: number | undefined },
  ): Promise<readonly TaskLogLineJson[]>;
}

/** Creates the methods of a kind, each of which takes its place first. */
export function scope<Scoped>(arity: number, bind: (place: readonly string[]) => object): Scoped {
  // One untyped implementation for all kinds. Callers see the interfaces above, and the tests call all of their methods.
  const at = (args: readonly unknown[]): Resource<AnyEntity> => bind(args.slice(0, arity) as string[]) as Resource<AnyEntity>;
  const call =
    (method: keyof Resource<AnyEntity>) =>
    (...args: unknown[]): unknown =>
      (at(args)[method] as (...rest: unknown[]) => unknown)(...args.slice(arity));
  const act =
    (verb: string, replayable: boolean) =>
    (...args: unknown[]): unknown =>
      at(args).act(args[arity] as string, verb, { ...(args[arity + 1] as CallOptions | undefined), replayable });
  return {
    create: call("create"),
    get: call("get"),
    list: call("list"),
    listAll: call("listAll"),
    update: call("update"),
    patch: call("patch"),
    delete: call("delete"),
    watch: call("watch"),
    pause: act("pause", true),
    resume: act("resume", true),
    rotate: act("rotate", false),
    cancel: act("cancel", true),
    // Not repeatable: the operation is already being retried when the second request arrives.
    retry: act("retry", false),
  } as Scoped;
}
