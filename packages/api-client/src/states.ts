import type { OperationJson } from "@cloudwright/contract/gen/cloudwright/v1/operation_pb.ts";
import type {
  ListStateResourcesResponseJson,
  StateContentJson,
  StateDiffJson,
  StateJson,
  StateVersionJson,
} from "@cloudwright/contract/gen/cloudwright/v1/state_pb.ts";
import type { Page } from "./entity.ts";
import { listAll, listPage, pathSegment, type CallOptions, type ListQuery, type WriteOptions } from "./resource.ts";
import type { Transport } from "./transport.ts";

type PageQuery = Pick<ListQuery, "pageSize" | "pageToken" | "signal">;

/**
 * Terraform states, identified by the uid of their entity. Runs write them. Users can read them, restore earlier versions and remove
 * locks.
 */
export interface States {
  list(project: string, query?: PageQuery): Promise<Page<StateJson>>;
  listAll(project: string, query?: PageQuery): AsyncIterable<StateJson>;
  get(project: string, entityUid: string, options?: CallOptions): Promise<StateJson>;
  /** Yields the versions of a state, newest first. */
  versions(project: string, entityUid: string, query?: PageQuery): AsyncIterable<StateVersionJson>;
  /** Returns the content of a version, by default the newest. Treat the content as a secret. */
  content(
    project: string,
    entityUid: string,
    options?: CallOptions & { readonly version?: number | undefined },
  ): Promise<StateContentJson>;
  /** Returns the names of the resources, attributes and outputs that differ between two versions, by default the newest two. */
  diff(
    project: string,
    entityUid: string,
    options?: CallOptions & { readonly from?: number | undefined; readonly to?: number | undefined },
  ): Promise<StateDiffJson>;
  /** Stores the content of an earlier version as a new version. */
  rollback(project: string, entityUid: string, version: number, options?: CallOptions): Promise<StateJson>;
  /** Removes the lock. If its holder is still alive, `force` is required. */
  unlock(
    project: string,
    entityUid: string,
    options?: CallOptions & { readonly force?: boolean | undefined },
  ): Promise<StateJson>;
  /** Returns the addresses and ids of the managed resources in the newest version, and the resources that were forgotten. */
  resources(project: string, entityUid: string, options?: CallOptions): Promise<ListStateResourcesResponseJson>;
  /** Starts an operation that adds one existing resource to the state. */
  adopt(
    project: string,
    entityUid: string,
    resource: { readonly address: string; readonly id: string; readonly dryRun?: boolean },
    options?: WriteOptions,
  ): Promise<OperationJson>;
  /** Starts an operation that removes one resource from the state. The resource stays in the cloud. */
  forget(
    project: string,
    entityUid: string,
    resource: { readonly address: string; readonly dryRun?: boolean },
    options?: WriteOptions,
  ): Promise<OperationJson>;
}

/** Creates the client for states. `inside` renders a path within a project. */
export function createStates(transport: Transport, inside: (project: string, path: string) => string): States {
  const at = (project: string, uid: string, rest = ""): string => inside(project, `states/${pathSegment(uid)}${rest}`);
  // Not safe to repeat: a second request would be rejected while the first operation is in progress.
  const repair = (
    path: string,
    { dryRun = false, ...resource }: { readonly address: string; readonly id?: string; readonly dryRun?: boolean },
    { signal, onAccepted }: WriteOptions,
  ): Promise<OperationJson> =>
    transport.send({ method: "POST", path, body: { ...resource, dryRun }, signal, onAccepted, replayable: false });
  return {
    list: async (project, query) => listPage(transport, inside(project, "states"), query),
    listAll: (project, query) => listAll(transport, inside(project, "states"), query),
    get: async (project, uid, { signal } = {}) =>
      transport.send({ method: "GET", path: at(project, uid), signal, replayable: true }),
    versions: (project, uid, query) => listAll(transport, at(project, uid, "/versions"), query),
    content: async (project, uid, { signal, version } = {}) =>
      transport.send({ method: "GET", path: at(project, uid, "/content"), query: { version }, signal, replayable: true }),
    diff: async (project, uid, { signal, from, to } = {}) =>
      transport.send({ method: "GET", path: at(project, uid, "/diff"), query: { from, to }, signal, replayable: true }),
    // Not safe to repeat: a second request would restore the version twice.
    rollback: async (project, uid, version, { signal } = {}) =>
      transport.send({ method: "POST", path: at(project, uid, ":rollback"), body: { version }, signal, replayable: false }),
    unlock: async (project, uid, { signal, force = false } = {}) =>
      transport.send({ method: "POST", path: at(project, uid, ":unlock"), body: { force }, signal, replayable: true }),
    resources: async (project, uid, { signal } = {}) =>
      transport.send({ method: "GET", path: at(project, uid, "/resources"), signal, replayable: true }),
    adopt: async (project, uid, resource, options = {}) => repair(at(project, uid, ":adopt"), resource, options),
    forget: async (project, uid, resource, options = {}) => repair(at(project, uid, ":forget"), resource, options),
  };
}
