import type { DriftJson } from "@cloudwright/contract/gen/cloudwright/v1/drift_pb.ts";
import type { Page } from "./entity.ts";
import { listAll, listPage, pathSegment, type CallOptions, type ListQuery, type WriteOptions } from "./resource.ts";
import type { Transport } from "./transport.ts";

/** Which reports to list. */
export interface DriftQuery extends Pick<ListQuery, "pageSize" | "pageToken" | "signal"> {
  /** Only those of this entity, by uid. */
  readonly entity?: string | undefined;
  /** Also those that have ended. */
  readonly all?: boolean | undefined;
}

/** Reports of what others changed, newest first, each by its uid or, for its newest, by that of its entity. */
export interface Drifts {
  list(project: string, query?: DriftQuery): Promise<Page<DriftJson>>;
  listAll(project: string, query?: DriftQuery): AsyncIterable<DriftJson>;
  get(project: string, uid: string, options?: CallOptions): Promise<DriftJson>;
  /** Takes the changes as meant: from now on others may make them. */
  accept(project: string, uid: string, options?: WriteOptions): Promise<DriftJson>;
  /** Has the infrastructure put back as its entity asks for. */
  correct(project: string, uid: string, options?: WriteOptions): Promise<DriftJson>;
}

/** The drift reports of a server; `inside` renders a path of a project. */
export function createDrifts(transport: Transport, inside: (project: string, path: string) => string): Drifts {
  const at = (project: string, uid: string, rest = ""): string => inside(project, `drifts/${pathSegment(uid)}${rest}`);
  // Sent twice it would be refused the second time, or open a second operation.
  const act = (project: string, uid: string, verb: string, { signal, onAccepted }: WriteOptions): Promise<DriftJson> =>
    transport.send({ method: "POST", path: at(project, uid, `:${verb}`), body: {}, signal, onAccepted, replayable: false });
  return {
    list: async (project, { entity, all, ...query } = {}) =>
      listPage(transport, inside(project, "drifts"), query, { entity, all }),
    listAll: (project, { entity, all, ...query } = {}) => listAll(transport, inside(project, "drifts"), query, { entity, all }),
    get: async (project, uid, { signal } = {}) =>
      transport.send({ method: "GET", path: at(project, uid), signal, replayable: true }),
    accept: async (project, uid, options = {}) => act(project, uid, "accept", options),
    correct: async (project, uid, options = {}) => act(project, uid, "correct", options),
  };
}
