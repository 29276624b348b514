import { create, toJson, type MessageInitShape } from "@bufbuild/protobuf";
import { payloadVersion, plainPayloadVersion, type JsonObject, type Method } from "@cloudwright/contract";
import {
  GetTasksRequestSchema,
  GetTasksResponseSchema,
  type GetTasksRequest,
  type LeasedTaskSchema,
} from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { findAgent } from "@cloudwright/store";
import {
  findUnreadable,
  leaseOrWait,
  noteAgent,
  readAbility,
  returnTasks,
  type AgentPermissions,
  type AgentReport,
  type LeasedTask,
  type LeaseRequest,
} from "@cloudwright/tasks";
import type { Answer } from "../calls/answer.ts";
import { requireAgent, type Call, type CallingAgent } from "../calls/authorise.ts";
import { Fault } from "@cloudwright/platform";
import { isDeepStrictEqual } from "node:util";
import { requireKept } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { isObject } from "../entities/json-tree.ts";
import { rejectToken } from "../identity/token-claims.ts";
import { operationName } from "../operations/operation-name.ts";

/** Interval at which a waiting agent is recorded as alive. It is well below the time after which an agent is considered lost. */
const noteEveryMs = 15_000;
/** Delay before the response to a draining or outdated agent. It prevents busy polling, but is short enough for the agent to notice changes soon. */
const rejectedWaitMs = 2000;

/**
 * Leases tasks to the calling agent. If there are none, waits as long as the request allows. If the agent disconnects before it receives
 * the leased tasks, they are returned to the queue.
 */
export async function leaseWork(deps: ApiDeps, call: Call, method: Method, request: GetTasksRequest): Promise<Answer> {
  const agent = requireAgent(call, method);
  const leave = enter(agent.uid);
  try {
    return await leaseFor(deps, call, agent, request);
  } finally {
    leave();
  }
}

/** Maximum number of concurrent polls per agent. It allows for earlier polls whose disconnection has not been detected yet. */
const mostPolls = 8;
const polls = new Map<string, number>();

/**
 * Registers a poll by an agent. Throws if the limit is reached, because each poll queries the database. The returned function ends the
 * poll.
 */
function enter(agentUid: string): () => void {
  const count = polls.get(agentUid) ?? 0;
  if (count >= mostPolls) {
    throw new Fault(apiFaults.rate_limited, `an agent may have at most ${mostPolls} concurrent calls that wait for tasks`, {
      retryAfterMs: 1000,
    });
  }
  polls.set(agentUid, count + 1);
  return () => {
    const left = (polls.get(agentUid) ?? 1) - 1;
    if (left > 0) polls.set(agentUid, left);
    else polls.delete(agentUid);
  };
}

async function leaseFor(deps: ApiDeps, call: Call, agent: CallingAgent, request: GetTasksRequest): Promise<Answer> {
  requireKept(toJson(GetTasksRequestSchema, request), "the request");
  const report = readReport(request);
  const signal = call.signal ?? new AbortController().signal;
  const endMs = deps.clock.now() + request.waitSeconds * 1000;
  const mismatch = findMismatch(report);
  if (mismatch !== "" || agent.draining) {
    await note(deps, agent.uid, report);
    await pause(deps, Math.min(request.waitSeconds * 1000, rejectedWaitMs), signal);
    return render({ tasks: [], upgrade: mismatch, draining: agent.draining });
  }
  const lease = { ...readAbility(report), ...pickPermissions(agent), ...limitsOf(deps, agent, request) };
  for (;;) {
    await note(deps, agent.uid, report);
    const leftMs = Math.max(0, endMs - deps.clock.now());
    const longPoll = { pool: deps.pool, signal: deps.taskSignal, clock: deps.clock };
    const tasks = await leaseOrWait(longPoll, lease, Math.min(leftMs, noteEveryMs), signal);
    if (tasks.length > 0) return handOver(deps, agent, tasks, signal);
    if (leftMs <= noteEveryMs || signal.aborted)
      return render({ tasks: [], upgrade: await findUpgrade(deps, lease), draining: false });
  }
}

/**
 * Checks the agent again before handing out tasks. While the agent waited, it may have been drained, deleted or disconnected, or an
 * operator may have changed its grants.
 */
async function handOver(deps: ApiDeps, former: CallingAgent, tasks: readonly LeasedTask[], signal: AbortSignal): Promise<Answer> {
  const agent = await findAgent(deps.pool, former.uid);
  const keepsGrants = agent !== undefined && isDeepStrictEqual(agent.grants, former.grants);
  if (agent !== undefined && keepsGrants && !agent.draining && !signal.aborted)
    return render({ tasks: tasks.map((task) => renderTask(deps, task)), upgrade: "", draining: false });
  await returnTasks({ pool: deps.pool, signal: deps.taskSignal }, tasks);
  if (agent === undefined) throw rejectToken("it is not signed by an agent");
  return render({ tasks: [], upgrade: "", draining: agent.draining });
}

function pickPermissions({ grants: { identity, withheldBackends } }: CallingAgent): AgentPermissions {
  return { identity, withheldBackends };
}

function limitsOf(
  { work }: Pick<ApiDeps, "work">,
  agent: CallingAgent,
  { longLane, shortLane, longSlots, shortSlots }: GetTasksRequest,
): Omit<LeaseRequest, "labels" | "types" | "payloadVersions" | keyof AgentPermissions> {
  return {
    agentUid: agent.uid,
    lanes: { long: longLane, short: shortLane },
    slots: { long: longSlots, short: shortSlots },
    projects: agent.grants.serves,
    ...work,
  };
}

function readReport({ labels, types, minPayloadVersion, maxPayloadVersion, version }: GetTasksRequest): AgentReport {
  return { labels, types, payloadVersions: { min: minPayloadVersion, max: maxPayloadVersion }, version };
}

/** Returns an upgrade notice if the agent cannot read any of the payload versions that this release writes. Otherwise returns "". */
function findMismatch({ payloadVersions: { min, max } }: AgentReport): string {
  if (max < plainPayloadVersion)
    return `upgrade this agent: it reads task payloads up to version ${max}, but the control plane writes version ${plainPayloadVersion} and later`;
  if (min > payloadVersion)
    return `upgrade the control plane: this agent reads task payloads from version ${min} on, but the control plane writes up to version ${payloadVersion}`;
  return "";
}

/** Returns an upgrade notice if a ready task suits the agent but has a payload version that the agent cannot read. Otherwise returns "". */
async function findUpgrade({ pool }: Pick<ApiDeps, "pool">, lease: LeaseRequest): Promise<string> {
  const { max } = lease.payloadVersions;
  const unreadable = max < payloadVersion ? await findUnreadable(pool, lease) : undefined;
  if (unreadable === undefined) return "";
  const { type, payloadVersion: needed } = unreadable;
  return `upgrade this agent: it reads task payloads up to version ${max}, but a task of type ${type} with version ${needed} is waiting`;
}

function note(deps: ApiDeps, agentUid: string, report: AgentReport): Promise<void> {
  return noteAgent({ database: deps.pool, nowMs: deps.clock.now() }, agentUid, report);
}

async function pause(deps: ApiDeps, ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0 && !signal.aborted) await deps.clock.sleep(ms, signal).catch(() => undefined);
}

function renderTask({ work }: Pick<ApiDeps, "work">, task: LeasedTask): LeasedTaskInit {
  return {
    uid: task.uid,
    project: task.project,
    type: task.type,
    lane: task.lane,
    entityKind: task.entityKind,
    entityUid: task.entityUid,
    entityName: task.entityName,
    operation: operationName(task.operationUid),
    attempt: task.attempt,
    payloadVersion: task.payloadVersion,
    payload: isObject(task.payload) ? (task.payload as JsonObject) : {},
    leaseToken: task.leaseToken,
    leaseSeconds: Math.max(1, Math.floor(work.leaseSeconds)),
  };
}

function render(answer: { tasks: LeasedTaskInit[]; upgrade: string; draining: boolean }): Answer {
  return {
    get body() {
      return JSON.stringify(answer);
    },
    message: create(GetTasksResponseSchema, answer),
  };
}

type LeasedTaskInit = MessageInitShape<typeof LeasedTaskSchema>;
