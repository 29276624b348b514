import type { DriftJson } from "@cloudwright/contract/gen/cloudwright/v1/drift_pb.ts";
import type { OperationJson } from "@cloudwright/contract/gen/cloudwright/v1/operation_pb.ts";
import type { Page } from "./entity.ts";
import { listAll, listPage, pathSegment, type CallOptions, type ListQuery, type WriteOptions } from "./resource.ts";
import type { Transport } from "./transport.ts";

export interface DriftQuery extends Pick<ListQuery, "pageSize" | "pageToken" | "signal"> {
  /** Returns only reports about the entity with this uid. */
  readonly entity?: string | undefined;
  /** Also returns resolved reports. */
  readonly all?: boolean | undefined;
}

/** Drift reports, newest first. `uid` is the uid of a report, or an entity's uid to select that entity's newest report. */
export interface Drifts {
  list(project: string, query?: DriftQuery): Promise<Page<DriftJson>>;
  listAll(project: string, query?: DriftQuery): AsyncIterable<DriftJson>;
  get(project: string, uid: string, options?: CallOptions): Promise<DriftJson>;
  /**
   * Compares an entity's cloud resources with what was applied. `uid` identifies the entity. Returns the operation that tracks the check.
   */
  check(project: string, uid: string, options?: CallOptions): Promise<OperationJson>;
  /** Accepts the reported changes, so that they are not reported again. */
  accept(project: string, uid: string, options?: WriteOptions): Promise<DriftJson>;
  /** Restores the infrastructure that the entity's spec describes. */
  correct(project: string, uid: string, options?: WriteOptions): Promise<DriftJson>;
}

/** Creates the client for drift reports. `inside` renders a path within a project. */
export function createDrifts(transport: Transport, inside: (project: string, path: string) => string): Drifts {
  const at = (project: string, uid: string, rest = ""): string => inside(project, `drifts/${pathSegment(uid)}${rest}`);
  // Not safe to repeat: a second request would be rejected or would start a second operation.
  const act = (project: string, uid: string, verb: string, { signal, onAccepted }: WriteOptions): Promise<DriftJson> =>
    transport.send({ method: "POST", path: at(project, uid, `:${verb}`), body: {}, signal, onAccepted, replayable: false });
  return {
    list: async (project, { entity, all, ...query } = {}) =>
      listPage(transport, inside(project, "drifts"), query, { entity, all }),
    listAll: (project, { entity, all, ...query } = {}) => listAll(transport, inside(project, "drifts"), query, { entity, all }),
    get: async (project, uid, { signal } = {}) =>
      transport.send({ method: "GET", path: at(project, uid), signal, replayable: true }),
    // Safe to repeat: if a check is still in progress, the server returns it instead of starting another one.
    check: async (project, uid, { signal } = {}) =>
      transport.send({ method: "POST", path: at(project, uid, ":check"), body: {}, signal, replayable: true }),
    accept: async (project, uid, options = {}) => act(project, uid, "accept", options),
    correct: async (project, uid, options = {}) => act(project, uid, "correct", options),
  };
}
