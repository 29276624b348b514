import type { Method } from "@cloudwright/contract";
import type { HeartbeatRequest } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { appendLogs, noteAgent, renewTasks } from "@cloudwright/tasks";
import type { Answer } from "../calls/answer.ts";
import { requireAgent, type Call } from "../calls/authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { isDeeperThan } from "../entities/json-tree.ts";
import { keepJson, keepText, readLines } from "../agents/task-words.ts";

const maxDepth = 64;

/**
 * Renews the calling agent's leases, stores progress and log lines, and returns the tasks that should stop. The number of database
 * statements does not depend on the number of tasks.
 */
export async function renewWork(deps: ApiDeps, call: Call, method: Method, request: HeartbeatRequest): Promise<Answer> {
  const agent = requireAgent(call, method);
  const { leaseSeconds } = deps.work;
  const renewals = request.tasks.map(({ uid, leaseToken, progressPercent, message, outputs }) => ({
    uid,
    leaseToken,
    // Replaces text that cannot be stored, because a rejected heartbeat would cost the agent its lease.
    progress: {
      percent: progressPercent,
      message: keepText(message),
      ...(outputs === undefined || isDeeperThan(outputs, maxDepth) ? {} : { outputs: keepJson(outputs) }),
    },
  }));
  const renewed = await renewTasks(deps.heartbeatPool, renewals, leaseSeconds, agent.uid);
  const logs = request.tasks.filter(({ lines }) => lines.length > 0);
  await appendLogs(
    deps.heartbeatPool,
    logs.map(({ uid, leaseToken, lines }) => ({ uid, leaseToken, agentUid: agent.uid, lines: readLines(lines) })),
  );
  await noteAgent({ database: deps.heartbeatPool, nowMs: deps.clock.now() }, agent.uid);
  if (renewed.some((task) => task.accepted && task.changed)) deps.wakes.notify();
  const tasks = renewed.map((task) => ({
    uid: task.uid,
    renewed: task.accepted,
    cancelReason: task.accepted ? (task.cancelReason ?? "") : "",
  }));
  return { body: JSON.stringify({ tasks, leaseSeconds: Math.max(1, Math.floor(leaseSeconds)) }) };
}
