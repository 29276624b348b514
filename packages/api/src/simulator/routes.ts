import { Fault, isUid } from "@cloudwright/platform";
import { admitSimulatingRun, simulate, sizeSimulatedLists, type SimulatingRun } from "@cloudwright/store";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ApiDeps } from "../deps.ts";
import { createCallerTurns, type CallerTurns } from "../calls/caller-turns.ts";
import { awaitDelivery, isGone, sendBody } from "../http/delivery.ts";
import type { BodyBudget } from "../http/bodies/body-budget.ts";
import type { Pace } from "../http/pace.ts";
import { allowBody, isLargeBody, keepBody, parseBody } from "../http/rest/body.ts";
import { rejectOtherMethods } from "../http/rest/reject-methods.ts";
import { readRun } from "../http/terraform-state/admit-run.ts";
import { apiFaults } from "../faults.ts";
import type { Gatekeeper, SentRun } from "../calls/gatekeeper.ts";
import { openCluster, type ClusterQuestion } from "./open-cluster.ts";
import { parseBatch } from "./parse-batch.ts";
import { refuseTooLarge } from "./refuse-too-large.ts";
import { makesClusters } from "./simulated-kubernetes.ts";

const url = "/v1/simulator/:account/batch";
const clustersUrl = "/v1/simulator/:account/clusters";
/** Lifetime of a run's token for a cluster. Runs request a new token for each connection. */
const tokenTtlMs = 15 * 60_000;
const tokensUrl = "/v1/simulator/:account/clusters/tokens";

/** Limits for calls from one project. A call keeps its turn until the run has read the response. */
const projectLimits = {
  running: 8,
  waiting: 500,
  describe: (project: string, requests: number): string =>
    `${requests} calls to simulated clouds in project ${project} are already in progress`,
};
/** Limits for calls from one project that request a whole large list at once, as agents of earlier releases do. */
const largeListLimits = {
  running: 1,
  waiting: 100,
  describe: (project: string, requests: number): string =>
    `${requests} large lists from simulated clouds in project ${project} are already in progress`,
};
const largeListBytes = 1024 * 1024;

/** Limits for calls from one project with many actions, because each such call occupies a CPU core of the database server. */
const longBatchLimits = {
  running: 2,
  waiting: 500,
  describe: (project: string, requests: number): string =>
    `${requests} long batches for simulated clouds in project ${project} are already in progress`,
};
const longBatchActs = 100;
const maxProjects = 10_000;

type SimulatorDeps = ApiDeps & {
  readonly gatekeeper: Pick<Gatekeeper, "rejectCredential" | "lookUpRun">;
  readonly bodies: BodyBudget;
  readonly pace: Pace;
};

/**
 * Serves simulated clouds to runs. One path accepts batches of reads and changes. Two other paths return the address of a simulated
 * cluster's Kubernetes API and a token for it. Runs authenticate in the same way as on the state endpoint. They can access only their own
 * account's cloud, and only while they hold the task's lease.
 */
export function registerSimulatorRoutes(app: FastifyInstance, deps: SimulatorDeps): void {
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
    const turns = createCallerTurns(projectLimits);
    /** Projects of admitted runs, keyed by account and credential. */
    const projects = new Map<string, string>();
    const admit = async (request: FastifyRequest): Promise<void> => {
      const { account } = request.params as { account: string };
      const run = isUid(account) ? readRun(request) : undefined;
      const key = `${account} ${run?.hash.toString("base64")}`;
      const project = projects.get(key) ?? (await findProject(deps, request, account, run));
      if (projects.size >= maxProjects) projects.delete(projects.keys().next().value ?? "");
      projects.set(key, project);
      admitted.set(request, { account, run: run as SimulatingRun, project });
      allowBody(deps.bodies, request, `runs of ${project}`);
    };
    const largeLists = createCallerTurns(largeListLimits);
    const longBatches = createCallerTurns(longBatchLimits);
    const serve = (
      path: string,
      answer: (account: string, run: SimulatingRun, body: unknown) => Promise<Served>,
      findLane: (account: string, body: unknown) => Promise<CallerTurns | undefined> = async () => undefined,
    ): void => {
      scope.post(path, { onRequest: admit }, async (request, reply) => {
        using _ = keepBody(request);
        const { account, run, project } = admitted.get(request) as Admitted;
        const deliver = async (): Promise<void> => {
          const served = await answer(account, run, request.body);
          if ("refused" in served) return rejectRun(deps, request, served.refused);
          sendBody(reply.type("application/json"), served.body);
          await awaitDelivery(reply.raw, served.body.length);
        };
        const hasLeft = (): boolean => isGone(reply.raw);
        const deliverInTurn = async (): Promise<void> => {
          if (isLargeBody(request)) await deps.pace();
          parseBody(request);
          const lane = await findLane(account, request.body);
          return lane === undefined ? deliver() : lane.run(project, deliver, hasLeft);
        };
        await turns.run(project, deliverInTurn, hasLeft);
        return reply;
      });
    };
    const findBatchLane = async (account: string, body: unknown): Promise<CallerTurns | undefined> => {
      const { acts } = parseBatch(body);
      if ((await sizeSimulatedLists(deps.pool, account, acts)) > largeListBytes) return largeLists;
      return acts.length > longBatchActs ? longBatches : undefined;
    };
    const answerBatch = async (account: string, run: SimulatingRun, body: unknown): Promise<Served> => {
      const batch = parseBatch(body);
      const simulated = await refuseTooLarge(() => simulate(deps.pool, account, run, batch));
      if ("refused" in simulated) return simulated;
      if (batch.request !== undefined && batch.acts.some(({ type }) => makesClusters(type ?? "")))
        deps.simulatedKubernetes?.notify();
      return { body: `{"answers":${simulated.answers},"faults":${simulated.faults}}` };
    };
    serve(url, answerBatch, findBatchLane);
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
type Served = { readonly body: string } | { readonly refused: Refusal };

type Refusal = "ended" | "real" | "lapsed";

/** A request whose sender was admitted, with the run's project. */
interface Admitted {
  readonly account: string;
  readonly run: SimulatingRun;
  readonly project: string;
}

const admitted = new WeakMap<FastifyRequest, Admitted>();

/** Looks up the project of a run that may use an account's cloud. A credential for a different account is treated like an unknown one. */
async function findProject(
  deps: SimulatorDeps,
  request: FastifyRequest,
  account: string,
  run: (SimulatingRun & SentRun) | undefined,
): Promise<string> {
  const found = await deps.gatekeeper.lookUpRun(run, { source: request.ip, requestId: request.id }, async () => {
    const admission = run && (await admitSimulatingRun(deps.pool, account, run));
    return admission?.refused === "ended" ? undefined : admission;
  });
  if (found === undefined) throw runEnded();
  return found.refused === "" ? found.project : rejectRun(deps, request, found.refused);
}

async function rejectRun(deps: SimulatorDeps, request: FastifyRequest, refusal: Refusal): Promise<never> {
  const { account } = request.params as { account: string };
  if (refusal === "real") throw new Fault(apiFaults.not_simulated, `account ${account} is not simulated`);
  if (refusal === "lapsed")
    throw new Fault(
      apiFaults.lease_lapsed,
      `the lease of task ${readRun(request)?.taskUid} has expired and has not been renewed yet`,
    );
  await deps.gatekeeper.rejectCredential(apiFaults.run_ended.code, request.ip, request.id);
  throw runEnded();
}

function runEnded(): Fault {
  return new Fault(apiFaults.run_ended, "this credential is not valid for this account's cloud, or has expired");
}
