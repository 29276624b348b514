import { sourceNetwork } from "@cloudwright/platform";
import type { Method } from "@cloudwright/contract";
import type { Call } from "./authorise.ts";
import { createCallerTurns, type CallerTurns } from "./caller-turns.ts";
import { createDocumentTurns } from "./document-turns.ts";

/** Limits the calls in progress per caller and per class of methods. */
export interface MethodTurns {
  /** Runs `work` when it is the caller's turn. Skips it and throws if the caller disconnected while waiting. */
  run<Result>(call: Call, method: Method, work: () => Promise<Result>, request?: TurnRequest): Promise<Result>;
}

export interface TurnRequest {
  /** The project that the request names. */
  readonly project?: string;
  isGone?(): boolean;
}

/**
 * Limits for lists. PostgreSQL needs up to 100 ms for a page of large entities, so one caller's lists must not use all database
 * connections.
 */
const listLimits = { running: 4, waiting: 1000 };
/** Limits for kubeconfig requests, which mostly wait for an agent. */
const kubeconfigLimits = { running: 16, waiting: 64 };
/** Methods that read states and plans. */
const documentMethods = new Set([
  "StateContent get",
  "StateDiff get",
  "StateResource list",
  "State rollback",
  "State adopt",
  "State forget",
  "Run get",
  "RunPlan get",
]);
/**
 * Limits for heartbeats from one project's agents. Each agent sends one heartbeat at a time. Together, a project's agents can use at most
 * half of the connections reserved for heartbeats.
 */
const heartbeatLimits = { running: 2, waiting: 200 };
/** Limits for reports. Reports that arrive together are stored together, so many of them can be in progress at once. */
const reportLimits = { running: 64, waiting: 1000 };

/**
 * Creates the limiter for one server. Slow methods and heartbeats have separate limits, so that they do not delay the same caller's other
 * requests.
 */
export function createMethodTurns(): MethodTurns {
  const ordinary = createCallerTurns();
  const lists = createCallerTurns(listLimits);
  const kubeconfigs = createCallerTurns(kubeconfigLimits);
  const documents = createDocumentTurns();
  const heartbeats = createCallerTurns(heartbeatLimits);
  const reports = createCallerTurns(reportLimits);
  const choose = ({ kind, verb }: Method): CallerTurns | undefined => {
    if (verb === "kubeconfig") return kubeconfigs;
    if (kind !== "Work") return verb === "list" ? lists : ordinary;
    // The number of waiting polls per agent is limited by the method itself.
    if (verb === "lease") return undefined;
    return verb === "renew" ? heartbeats : reports;
  };
  return {
    async run(call, method, work, { project = "", isGone } = {}) {
      if (documentMethods.has(`${method.kind} ${method.verb}`)) return documents.run(turnOf(call), call, project, work, isGone);
      const turns = choose(method);
      return turns === undefined ? work() : turns.run(turnOf(call), work, isGone);
    },
  };
}

/** Returns the key under which a call is counted. Agents of one project share a key, and so do unauthenticated callers from one network. */
function turnOf({ caller, source }: Call): string {
  const { agent } = caller ?? {};
  if (agent !== undefined && agent.project !== "system") return `agents of ${agent.project}`;
  return caller?.userUid ?? sourceNetwork(source);
}

/**
 * Returns the key under which a call's body is counted. Heartbeats are counted separately, so that other calls from the same agents cannot
 * use up their limit.
 */
export function bodyOwnerOf(call: Call, method?: Method): string {
  return method?.kind === "Work" && method.verb === "renew" ? `heartbeats of ${turnOf(call)}` : turnOf(call);
}

/** If a response to an agent is larger than this, the call keeps its turn until the agent has read the response. */
const largeWorkBytes = 256 * 1024;

/**
 * Returns whether a call keeps its turn until the caller has read the response. This limits the number of unread responses per caller
 * that the server keeps in memory. Agents' calls with small responses give up their turn earlier. Otherwise, an agent that does not read
 * its responses could delay the heartbeats of other agents in its project.
 */
export function isHeldUntilRead({ kind }: Method, bytes: number): boolean {
  return kind !== "Work" || bytes > largeWorkBytes;
}

/** Returns whether a method spends most of its time waiting. Such a method stops when its caller disconnects. */
export function waitsForOthers({ verb }: Method): boolean {
  return verb === "lease" || verb === "kubeconfig";
}
