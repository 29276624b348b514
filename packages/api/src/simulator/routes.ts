import { Fault, isUid } from "@cloudwright/platform";
import { simulate, type SimulatingRun } from "@cloudwright/store";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ApiDeps } from "../deps.ts";
import { rejectOtherMethods } from "../http/rest/reject-methods.ts";
import { readRun } from "../http/terraform-state/admit-run.ts";
import { apiFaults } from "../faults.ts";
import type { Gatekeeper } from "../calls/gatekeeper.ts";
import { openCluster, type ClusterQuestion } from "./open-cluster.ts";
import { parseBatch } from "./parse-batch.ts";
import { makesClusters } from "./simulated-kubernetes.ts";

const url = "/v1/simulator/:account/batch";
const clustersUrl = "/v1/simulator/:account/clusters";
/** Lifetime of a run's token for a cluster. Runs request a new token for each connection. */
const tokenTtlMs = 15 * 60_000;
const tokensUrl = "/v1/simulator/:account/clusters/tokens";

/**
 * Serves simulated clouds to runs. One path accepts batches of reads and changes. Two more return the address of a simulated cluster's
 * Kubernetes API and a token for it. Runs authenticate in the same way as on the state endpoint. They can access only their own account's
 * cloud, and only while they hold the task's lease.
 */
export function registerSimulatorRoutes(
  app: FastifyInstance,
  deps: ApiDeps & { readonly gatekeeper: Pick<Gatekeeper, "rejectCredential"> },
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
    const serve = (path: string, answer: (account: string, run: SimulatingRun, body: unknown) => Promise<Served>): void => {
      scope.post(path, async (request, reply) => {
        const { account } = request.params as { account: string };
        const run = isUid(account) ? readRun(request) : undefined;
        if (run === undefined) return rejectCredential(deps, request);
        const served = await answer(account, run, request.body);
        if ("body" in served) return reply.type("application/json").send(served.body);
        if (served.refused === "real") throw new Fault(apiFaults.not_simulated, `account ${account} is not simulated`);
        if (served.refused === "lapsed")
          throw new Fault(apiFaults.lease_lapsed, `the lease of task ${run.taskUid} has expired and has not been renewed yet`);
        return rejectCredential(deps, request);
      });
    };
    serve(url, async (account, run, body) => {
      const batch = parseBatch(body);
      const simulated = await simulate(deps.pool, account, run, batch);
      if ("refused" in simulated) return simulated;
      if (batch.request !== undefined && batch.acts.some(({ type }) => makesClusters(type ?? "")))
        deps.simulatedKubernetes?.notify();
      return { body: `{"answers":${simulated.answers},"faults":${simulated.faults}}` };
    });
    const describe: ClusterQuestion = ({ endpoint, caPem }) => ({ endpoint, caPem });
    serve(clustersUrl, (account, run, body) => openCluster(deps, account, run, body, describe));
    const enter: ClusterQuestion = ({ tokenFor }) => ({
      token: tokenFor("admin", new Date(deps.clock.now() + tokenTtlMs)).reveal(),
    });
    serve(tokensUrl, (account, run, body) => openCluster(deps, account, run, body, enter));
    done();
  });
  for (const path of [url, clustersUrl, tokensUrl]) rejectOtherMethods(app, path, new Set(["POST"]));
}

/** The response to a run, or the reason for rejecting its request. */
type Served = { readonly body: string } | { readonly refused: "ended" | "real" | "lapsed" };

/** Rejects a credential. A credential for a different account is treated like an unknown one. */
async function rejectCredential(
  deps: { readonly gatekeeper: Pick<Gatekeeper, "rejectCredential"> },
  { ip, id }: FastifyRequest,
): Promise<never> {
  await deps.gatekeeper.rejectCredential(apiFaults.run_ended.code, ip, id);
  throw new Fault(apiFaults.run_ended, "this credential is not valid for this account's cloud, or has expired");
}
