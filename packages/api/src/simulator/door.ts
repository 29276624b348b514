import { Fault, isUid } from "@cloudwright/platform";
import { simulate } from "@cloudwright/store";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ApiDeps } from "../deps.ts";
import { refuseOtherMethods } from "../doors/rest/refuse-methods.ts";
import { readRun } from "../doors/terraform-state/admit-run.ts";
import { apiFaults } from "../faults.ts";
import type { Gatekeeper } from "../gatekeeper.ts";
import { parseBatch } from "./parse-batch.ts";

const url = "/v1/simulator/:account/batch";

/**
 * Serves the simulated clouds to runs: one path that takes several questions and changes at once. A run proves itself as at the state
 * door, and reaches the cloud of its own task's account only, for exactly as long as it holds the task's lease.
 */
export function registerSimulatorRoutes(
  app: FastifyInstance,
  deps: ApiDeps & { readonly gatekeeper: Pick<Gatekeeper, "turnAway"> },
): void {
  void app.register((scope, _options, done) => {
    scope.addHook("onRequest", (_request, reply, next) => {
      void reply.header("cache-control", "no-store");
      next(deps.served.has("agents") ? undefined : new Fault(apiFaults.not_served, "this replica does not serve agents"));
    });
    scope.addHook("onError", (_request, reply, error, next) => {
      if (error instanceof Fault && error.kind === "unauthenticated")
        void reply.header("www-authenticate", 'Basic realm="simulated cloud"');
      next();
    });
    scope.post(url, async (request, reply) => {
      const { account } = request.params as { account: string };
      const run = isUid(account) ? readRun(request) : undefined;
      if (run === undefined) return turnAway(deps, request);
      const simulated = await simulate(deps.pool, account, run, parseBatch(request.body));
      if ("answers" in simulated)
        return reply.type("application/json").send(`{"answers":${simulated.answers},"faults":${simulated.faults}}`);
      if (simulated.refused === "real")
        throw new Fault(apiFaults.not_simulated, `account ${account} is a real one: it has no simulated cloud`);
      if (simulated.refused === "lapsed")
        throw new Fault(apiFaults.lease_lapsed, `the lease of task ${run.taskUid} has run out and was not renewed yet`);
      return turnAway(deps, request);
    });
    done();
  });
  refuseOtherMethods(app, url, new Set(["POST"]));
}

/** A credential of another account is answered as one that nobody made. */
async function turnAway(deps: { readonly gatekeeper: Pick<Gatekeeper, "turnAway"> }, { ip, id }: FastifyRequest): Promise<never> {
  await deps.gatekeeper.turnAway(apiFaults.run_ended.code, ip, id);
  throw new Fault(apiFaults.run_ended, "this credential is not, or no longer, good for this account's cloud");
}
