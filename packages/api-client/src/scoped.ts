import type { CreateJoinTokenResponseJson } from "@cloudwright/contract/gen/cloudwright/v1/agent_pb.ts";
import type { KubeconfigJson } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import type { TimelineEntryJson } from "@cloudwright/contract/gen/cloudwright/v1/operation_pb.ts";
import type { TaskLogLineJson } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import type { AnyEntity, EntityByKind, Page, Stored, WatchEvent } from "./entity.ts";
import type { CallOptions, CreateOptions, DeleteOptions, ListQuery, PatchOptions, Resource, UpdateOptions } from "./resource.ts";
import type { WatchOptions } from "./watch.ts";

/** The first arguments of every call of a kind: where its entities are. */
export type Nowhere = [];
export type InProject = [project: string];
export type InCluster = [project: string, cluster: string];

/** Kinds that the platform alone writes. */
export interface Readable<Place extends string[], Entity extends AnyEntity> {
  get(...args: [...Place, name: string, options?: CallOptions]): Promise<Stored<Entity>>;
  list(...args: [...Place, query?: ListQuery]): Promise<Page<Stored<Entity>>>;
  /** All pages, one entity after the other. */
  listAll(...args: [...Place, query?: ListQuery]): AsyncIterable<Stored<Entity>>;
  /** Changes as they are committed, for as long as the caller reads; survives broken connections. */
  watch(...args: [...Place, options?: WatchOptions]): AsyncIterable<WatchEvent<Entity>>;
}

/** Kinds that users write. */
export interface Writable<Place extends string[], Entity extends AnyEntity> extends Readable<Place, Entity> {
  create(...args: [...Place, entity: Entity, options?: CreateOptions]): Promise<Stored<Entity>>;
  /** Replaces the spec. A `metadata.resourceVersion` in the entity must be the current one. */
  update(...args: [...Place, name: string, entity: Entity, options?: UpdateOptions]): Promise<Stored<Entity>>;
  /** Changes the fields given; null clears one. */
  patch(...args: [...Place, name: string, patch: object, options?: PatchOptions]): Promise<Stored<Entity>>;
  delete(...args: [...Place, name: string, options?: DeleteOptions]): Promise<Stored<Entity>>;
}

/** Kinds with work behind them, which can be stopped and let go on. */
export interface Pausable<Place extends string[], Entity extends AnyEntity> extends Writable<Place, Entity> {
  pause(...args: [...Place, name: string, options?: CallOptions]): Promise<Stored<Entity>>;
  resume(...args: [...Place, name: string, options?: CallOptions]): Promise<Stored<Entity>>;
}

/** API keys are made, rotated and revoked, never changed. `status.key` holds the key in the answers to create and rotate only. */
export interface ApiKeys
  extends
    Omit<Readable<Nowhere, EntityByKind["ApiKey"]>, "watch">,
    Pick<Writable<Nowhere, EntityByKind["ApiKey"]>, "create" | "delete"> {
  rotate(name: string, options?: CallOptions): Promise<Stored<EntityByKind["ApiKey"]>>;
}

/** What a kubeconfig is to be like. */
export interface KubeconfigWishes {
  readonly role?: "admin" | "viewer" | undefined;
  readonly ttlSeconds?: number | undefined;
  readonly exec?: boolean | undefined;
}

/** Clusters give access to themselves. */
export interface Clusters extends Pausable<InProject, EntityByKind["Cluster"]> {
  /**
   * A kubeconfig, with as many rights as the caller may have unless said, that works for an hour unless said. Treat it as a secret. With `exec`
   * one of a real cluster has no secret in it: its holder proves themselves to the cloud.
   */
  kubeconfig(project: string, name: string, options?: CallOptions & KubeconfigWishes): Promise<KubeconfigJson>;
}

/** Agents join by a token that an administrator makes for them. */
export interface Agents extends Writable<InProject, EntityByKind["Agent"]> {
  /** A token that lets one agent join; it is valid for an hour unless said, and works once. */
  createJoinToken(
    project: string,
    options?: CallOptions & { readonly ttlSeconds?: number | undefined },
  ): Promise<CreateJoinTokenResponseJson>;
}

/** Operations are written by the platform; callers can stop them and have them tried again. */
export interface Operations extends Readable<InProject, EntityByKind["Operation"]> {
  cancel(project: string, name: string, options?: CallOptions): Promise<Stored<EntityByKind["Operation"]>>;
  /** Tries again what failed or was cancelled. */
  retry(project: string, name: string, options?: CallOptions): Promise<Stored<EntityByKind["Operation"]>>;
  /** Everything that happened for an operation, in order; with so many of the last log lines of each task. */
  timeline(
    project: string,
    name: string,
    options?: CallOptions & { readonly logLines?: number | undefined },
  ): Promise<readonly TimelineEntryJson[]>;
}

/** Tasks are the platform's and its agents' own. */
export interface Tasks extends Omit<Readable<InProject, EntityByKind["Task"]>, "watch"> {
  /** One page of a task's log: the lines after `attempt.seq`. */
  logs(
    project: string,
    name: string,
    options?: CallOptions & { readonly after?: string | undefined; readonly pageSize?: number | undefined },
  ): Promise<readonly TaskLogLineJson[]>;
}

/** The methods of a kind, each taking its place first. */
export function scope<Scoped>(arity: number, bind: (place: readonly string[]) => object): Scoped {
  // One untyped body for all kinds; the interfaces above are what callers see, and the tests call every method of them.
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
    // Sent twice it would be refused the second time, since by then it is being tried.
    retry: act("retry", false),
  } as Scoped;
}
