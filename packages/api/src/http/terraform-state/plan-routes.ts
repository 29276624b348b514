import { Fault } from "@cloudwright/platform";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { CallerTurns } from "../../calls/caller-turns.ts";
import { apiFaults } from "../../faults.ts";
import { awaitDelivery, isGone, sendBody } from "../delivery.ts";
import { admitRun } from "./admit-run.ts";
import { awaitUpload, continueUpload, type UploadDeps } from "./await-upload.ts";
import { admitPlanning, handOutPlan, keepRunPlan, type PlanningRun } from "./plans.ts";

export const planUrl = "/v1/states/:uid/plans/:plan";

/**
 * Lower bound for the size limit of a plan's change description. The limit is this value or an eighth of the size limit for plans,
 * whichever is higher.
 */
const minDetailBytes = 1024 * 1024;

export interface PlanOptions {
  /** Size limit for a plan. */
  readonly maxPlanBytes: number;
  /** How long a plan waits for approval before it expires. */
  readonly approvalTtlMs: number;
}

/**
 * Serves the endpoint with which runs store and fetch saved plans. The planning task stores its plan with PUT, and the applying task
 * fetches it once with GET.
 */
export function registerPlanRoutes(
  scope: FastifyInstance,
  deps: UploadDeps & { readonly projectReads: CallerTurns },
  { maxPlanBytes, approvalTtlMs }: PlanOptions,
): void {
  const maxDetailBytes = Math.max(minDetailBytes, maxPlanBytes / 8);
  const planning = new WeakMap<FastifyRequest, PlanningRun>();
  const admit = async (request: FastifyRequest): Promise<PlanningRun> =>
    admitPlanning(deps, await admitRun(deps, request), planOf(request));
  scope.route({
    method: "PUT",
    url: planUrl,
    bodyLimit: maxPlanBytes,
    // Authenticate before reading the body, so that unauthenticated callers cannot make the server read large bodies.
    onRequest: async (request, reply) => {
      const known = await admit(request);
      planning.set(request, known);
      await awaitUpload(deps, request, reply, known.run);
    },
    handler: async (request, reply) => {
      using _ = continueUpload(request);
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const known = planning.get(request) ?? (await admit(request));
      if (!(await keepRunPlan(deps, request, known, { body, ttlMs: approvalTtlMs, maxDetailBytes }))) {
        // If the run has lost its lease in the meantime, `admitRun` throws a more precise fault.
        await admitRun(deps, request);
        throw new Fault(apiFaults.plan_gone, `the plan ${planOf(request)} was already used or discarded`);
      }
      return reply.code(204).send();
    },
  });
  scope.route({
    method: "GET",
    url: planUrl,
    // GET consumes the plan, so Fastify must not use this handler for HEAD requests.
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const run = await admitRun(deps, request);
      const deliver = async (): Promise<void> => {
        const parcel = await handOutPlan(deps, request, run, planOf(request));
        sendBody(reply.type("application/octet-stream"), parcel);
        await awaitDelivery(reply.raw, parcel.length);
      };
      await deps.projectReads.run(run.state.project, deliver, () => isGone(reply.raw));
      return reply;
    },
  });
  scope.head(planUrl, async (request, reply) => {
    void reply.header("allow", "GET, PUT");
    throw new Fault(apiFaults.method_not_allowed, `HEAD is not supported at ${request.url.split("?")[0]}`);
  });
}

function planOf(request: FastifyRequest): string {
  return (request.params as { plan: string }).plan;
}
