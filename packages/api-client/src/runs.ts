import type { RunJson, RunPlanJson } from "@cloudwright/contract/gen/cloudwright/v1/run_pb.ts";
import type { Page } from "./entity.ts";
import { listAll, listPage, pathSegment, type CallOptions, type ListQuery } from "./resource.ts";
import type { Transport } from "./transport.ts";

/** Which runs to list. */
export interface RunQuery extends Pick<ListQuery, "pageSize" | "pageToken" | "signal"> {
  /** Only those of this entity, by uid. */
  readonly entity?: string | undefined;
  /** Only those in this state, for example `NEEDS_APPROVAL`. */
  readonly state?: string | undefined;
}

interface JudgeOptions extends CallOptions {
  /** For those who read it later. */
  readonly comment?: string | undefined;
}

/** Runs of Terraform, each by its uid, newest first. The platform makes them; people look at their plans, approve and discard. */
export interface Runs {
  list(project: string, query?: RunQuery): Promise<Page<RunJson>>;
  listAll(project: string, query?: RunQuery): AsyncIterable<RunJson>;
  get(project: string, uid: string, options?: CallOptions): Promise<RunJson>;
  /** What a run wants to do or did, resource by resource; sensitive values are masked. */
  plan(project: string, uid: string, options?: CallOptions): Promise<RunPlanJson>;
  /** Lets exactly this plan be applied. */
  approve(project: string, uid: string, options?: JudgeOptions): Promise<RunJson>;
  /** Ends a run that was not begun; its operation fails. */
  discard(project: string, uid: string, options?: JudgeOptions): Promise<RunJson>;
}

/** The runs of a server; `inside` renders a path of a project. */
export function createRuns(transport: Transport, inside: (project: string, path: string) => string): Runs {
  const at = (project: string, uid: string, rest = ""): string => inside(project, `runs/${pathSegment(uid)}${rest}`);
  // Sent twice it would be refused the second time, since by then it is decided.
  const judge = (project: string, uid: string, verb: string, { signal, comment = "" }: JudgeOptions): Promise<RunJson> =>
    transport.send({ method: "POST", path: at(project, uid, `:${verb}`), body: { comment }, signal, replayable: false });
  return {
    list: async (project, { entity, state, ...query } = {}) =>
      listPage(transport, inside(project, "runs"), query, { entity, state }),
    listAll: (project, { entity, state, ...query } = {}) => listAll(transport, inside(project, "runs"), query, { entity, state }),
    get: async (project, uid, { signal } = {}) =>
      transport.send({ method: "GET", path: at(project, uid), signal, replayable: true }),
    plan: async (project, uid, { signal } = {}) =>
      transport.send({ method: "GET", path: at(project, uid, "/plan"), signal, replayable: true }),
    approve: async (project, uid, options = {}) => judge(project, uid, "approve", options),
    discard: async (project, uid, options = {}) => judge(project, uid, "discard", options),
  };
}
