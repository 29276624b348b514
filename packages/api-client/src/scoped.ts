import type { CreateJoinTokenResponseJson } from "@cloudwright/contract/gen/cloudwright/v1/agent_pb.ts";
import type { KubeconfigJson } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import type { InstanceAccessJson } from "@cloudwright/contract/gen/cloudwright/v1/instance_pb.ts";
import type { SshKeyPairJson } from "@cloudwright/contract/gen/cloudwright/v1/ssh_key_pb.ts";
import type { TimelineEntryJson } from "@cloudwright/contract/gen/cloudwright/v1/operation_pb.ts";
import type { TaskLogLineJson } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import type { AnyEntity, EntityByKind, Page, Stored, WatchEvent } from "./entity.ts";
import type {
  CallOptions,
  CreateOptions,
  DeleteOptions,
  ListQuery,
  PatchOptions,
  Resource,
  UpdateOptions,
  WriteOptions,
} from "./resource.ts";
import type { WatchOptions } from "./watch.ts";

/** The leading arguments of every method, which identify the collection. Empty for global kinds. */
export type Nowhere = [];
export type InProject = [project: string];
export type InCluster = [project: string, cluster: string];

/** Methods of kinds that only the platform writes. */
export interface Readable<Place extends string[], Entity extends AnyEntity> {
  get(...args: [...Place, name: string, options?: CallOptions]): Promise<Stored<Entity>>;
  list(...args: [...Place, query?: ListQuery]): Promise<Page<Stored<Entity>>>;
  /** Yields the entities from all pages. */
  listAll(...args: [...Place, query?: ListQuery]): AsyncIterable<Stored<Entity>>;
  /** Yields changes as they are committed, for as long as the caller reads. Reconnects after connection failures. */
  watch(...args: [...Place, options?: WatchOptions]): AsyncIterable<WatchEvent<Entity>>;
}

/** Methods of kinds that users can create and change. */
export interface Writable<Place extends string[], Entity extends AnyEntity> extends Readable<Place, Entity> {
  create(...args: [...Place, entity: Entity, options?: CreateOptions]): Promise<Stored<Entity>>;
  /** Replaces the spec. Rejected if `metadata.resourceVersion` is set and not current. */
  update(...args: [...Place, name: string, entity: Entity, options?: UpdateOptions]): Promise<Stored<Entity>>;
  /** Changes only the given fields. A null value clears a field. */
  patch(...args: [...Place, name: string, patch: object, options?: PatchOptions]): Promise<Stored<Entity>>;
  delete(...args: [...Place, name: string, options?: DeleteOptions]): Promise<Stored<Entity>>;
}

/** Methods of kinds with infrastructure, which can be paused and resumed. */
export interface Pausable<Place extends string[], Entity extends AnyEntity> extends Writable<Place, Entity> {
  pause(...args: [...Place, name: string, options?: CallOptions]): Promise<Stored<Entity>>;
  resume(...args: [...Place, name: string, options?: CallOptions]): Promise<Stored<Entity>>;
}

/** API keys can be created, rotated and revoked, but not changed. Only the responses to create and rotate contain `status.key`. */
export interface ApiKeys
  extends
    Omit<Readable<Nowhere, EntityByKind["ApiKey"]>, "watch">,
    Pick<Writable<Nowhere, EntityByKind["ApiKey"]>, "create" | "delete"> {
  rotate(name: string, options?: CallOptions): Promise<Stored<EntityByKind["ApiKey"]>>;
}

export interface KubeconfigOptions {
  readonly role?: "admin" | "viewer" | undefined;
  readonly ttlSeconds?: number | undefined;
  readonly exec?: boolean | undefined;
}

/** Cloud accounts. */
export interface Accounts extends Pausable<InProject, EntityByKind["Account"]> {
  /**
   * Returns a kubeconfig for a cluster that a discovery found and that no entity represents. `discovery` is the name of the operation, and
   * `cluster` is the cloud's ID for the cluster. Treat the kubeconfig as a secret.
   */
  kubeconfig(
    project: string,
    name: string,
    options: CallOptions & KubeconfigOptions & { readonly discovery: string; readonly cluster: string },
  ): Promise<KubeconfigJson>;
}

export interface Clusters extends Pausable<InProject, EntityByKind["Cluster"]> {
  /**
   * Returns a kubeconfig. By default, it grants the highest role available to the caller and is valid for one hour. Treat it as a secret.
   * With `exec`, the kubeconfig of a real cluster contains no secrets, because kubectl authenticates with the user's own cloud identity.
   */
  kubeconfig(project: string, name: string, options?: CallOptions & KubeconfigOptions): Promise<KubeconfigJson>;
}

/** Keys that grant SSH access to instances. */
export interface SshKeys extends Writable<InProject, EntityByKind["SshKey"]> {
  /** Starts the replacement of the key pair on all instances. `status.rotation` shows the progress. */
  rotate(project: string, name: string, options?: CallOptions): Promise<Stored<EntityByKind["SshKey"]>>;
  /** Returns both halves of a key. Treat them as a secret. */
  openPrivate(project: string, name: string, options?: CallOptions): Promise<SshKeyPairJson>;
}

/** Virtual machines. */
export interface Instances extends Pausable<InProject, EntityByKind["Instance"]> {
  /** Returns what an SSH client needs to log in: address, user, host keys and stored private keys. Treat it as a secret. */
  openSsh(project: string, name: string, options?: CallOptions): Promise<InstanceAccessJson>;
  /** Returns the latest output of the serial console. */
  log(project: string, name: string, options?: CallOptions): Promise<string>;
}

/** Disks for instances. */
export interface Volumes extends Pausable<InProject, EntityByKind["Volume"]> {
  /** Attaches a volume to an instance. Rejected if it is attached to another one. */
  attach(project: string, name: string, instance: string, options?: WriteOptions): Promise<Stored<EntityByKind["Volume"]>>;
  /** Detaches a volume. With `instance`, rejected if the volume is attached to another instance. */
  detach(
    project: string,
    name: string,
    options?: WriteOptions & { readonly instance?: string | undefined },
  ): Promise<Stored<EntityByKind["Volume"]>>;
}

/** Methods for agents. An agent joins with a token that an administrator creates. */
export interface Agents extends Writable<InProject, EntityByKind["Agent"]> {
  /** Creates a token that one agent can use to join. The token can be used only once and is valid for one hour by default. */
  createJoinToken(
    project: string,
    options?: CallOptions & { readonly ttlSeconds?: number | undefined },
  ): Promise<CreateJoinTokenResponseJson>;
}

/** Methods for operations. The platform creates them, and callers can cancel and retry them. */
export interface Operations extends Readable<InProject, EntityByKind["Operation"]> {
  cancel(project: string, name: string, options?: CallOptions): Promise<Stored<EntityByKind["Operation"]>>;
  /** Retries an operation that failed or was cancelled. */
  retry(project: string, name: string, options?: CallOptions): Promise<Stored<EntityByKind["Operation"]>>;
  /** Returns the history of an operation, oldest entry first. Includes the last `logLines` log lines of each task. */
  timeline(
    project: string,
    name: string,
    options?: CallOptions & { readonly logLines?: number | undefined },
  ): Promise<readonly TimelineEntryJson[]>;
}

/** Methods for tasks. Only the platform and its agents write tasks. */
export interface Tasks extends Omit<Readable<InProject, EntityByKind["Task"]>, "watch"> {
  /** Returns one page of a task's log, starting after the line `attempt.seq`. */
  logs(
    project: string,
    name: string,
    options?: CallOptions & { readonly after?: string | undefined; readonly pageSize?: number | undefined },
  ): Promise<readonly TaskLogLineJson[]>;
}

/** Creates the methods of a kind. The first arguments of each method identify the collection. */
export function scope<Scoped>(arity: number, bind: (place: readonly string[]) => object): Scoped {
  // A single untyped implementation serves all kinds. Callers use the typed interfaces above, and the tests call every method.
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
    // Not safe to repeat: the first attempt may already have restarted the operation.
    retry: act("retry", false),
  } as Scoped;
}
