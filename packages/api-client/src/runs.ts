import type { RunJson, RunPlanJson } from "@cloudwright/contract/gen/cloudwright/v1/run_pb.ts";
import type { Page } from "./entity.ts";
import { listAll, listPage, pathSegment, type CallOptions, type ListQuery } from "./resource.ts";
import type { Transport } from "./transport.ts";

export interface RunQuery extends Pick<ListQuery, "pageSize" | "pageToken" | "signal"> {
  /** Returns only runs for the entity with this uid. */
  readonly entity?: string | undefined;
  /** Returns only runs in this state, such as `NEEDS_APPROVAL`. */
  readonly state?: string | undefined;
}

interface JudgeOptions extends CallOptions {
  /** A comment to store with the decision. */
  readonly comment?: string | undefined;
}

/** Terraform runs, identified by uid, newest first. The platform creates them. Users can read the plans and approve or discard them. */
export interface Runs {
  list(project: string, query?: RunQuery): Promise<Page<RunJson>>;
  listAll(project: string, query?: RunQuery): AsyncIterable<RunJson>;
  get(project: string, uid: string, options?: CallOptions): Promise<RunJson>;
  /** Returns what a run will change or has changed, resource by resource. Sensitive values are masked. */
  plan(project: string, uid: string, options?: CallOptions): Promise<RunPlanJson>;
  /** Approves the run's plan. The approval does not cover any other plan. */
  approve(project: string, uid: string, options?: JudgeOptions): Promise<RunJson>;
  /** Discards a plan that has not been applied. The run's operation fails. */
  discard(project: string, uid: string, options?: JudgeOptions): Promise<RunJson>;
}

/** Creates the client for runs. `inside` renders a path within a project. */
export function createRuns(transport: Transport, inside: (project: string, path: string) => string): Runs {
  const at = (project: string, uid: string, rest = ""): string => inside(project, `runs/${pathSegment(uid)}${rest}`);
  // Not safe to repeat: a second request would be rejected, because the plan is already approved or discarded.
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
