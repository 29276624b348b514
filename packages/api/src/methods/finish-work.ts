import type { Method } from "@cloudwright/contract";
import type { FinishTaskRequest, TaskFault as FaultMessage } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { finishTogether, taskFaults, type TaskFault, type TaskOutcome } from "@cloudwright/tasks";
import type { Answer } from "../calls/answer.ts";
import { requireAgent, type Call } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { isDeeperThan } from "../entities/json-tree.ts";
import { keepJson, keepText, readLines } from "../agents/task-words.ts";

const maxDepth = 64;

/** Ends an attempt of a task. The outcome is accepted only from the lease holder. */
export async function finishWork(deps: ApiDeps, call: Call, method: Method, request: FinishTaskRequest): Promise<Answer> {
  const agent = requireAgent(call, method);
  // REST limits the nesting depth of all bodies. Other endpoints do not, so the depth is checked here.
  if (isDeeperThan(request.outputs ?? {}, maxDepth))
    throw invalid("the request", [{ field: "outputs", message: `must be nested at most ${maxDepth} levels deep` }]);
  const { uid, leaseToken } = request;
  const end = { uid, leaseToken, agentUid: agent.uid, outcome: readOutcome(request), lines: readLines(request.lines) };
  const { accepted } = await finishTogether(deps.heartbeatPool, end);
  if (accepted) {
    deps.taskSignal.notify();
    deps.wakes.notify();
  }
  return { body: JSON.stringify({ accepted }) };
}

function readOutcome({ outcome, outputs = {}, fault }: FinishTaskRequest): TaskOutcome {
  if (outcome !== "failed") {
    const message = fault === undefined ? {} : { message: keepText(fault.message) };
    return { state: outcome as "done" | "cancelled" | "returned", ...message, result: keepJson(outputs) };
  }
  // A failed deletion reports its leftover resources in the fault, so the list in the outputs is dropped.
  const { left: _, ...result } = outputs;
  const left = fault === undefined || fault.left.length === 0 ? {} : { left: fault.left };
  return { state: "failed", fault: readFault(fault), result: keepJson({ ...result, ...left }) };
}

function readFault(fault: FaultMessage | undefined): TaskFault {
  const { code, help } = taskFaults.failed;
  if (fault === undefined) return { code, message: "the agent gave no reason", retry: "backoff", help };
  const { permanent, retryAfterMs } = fault;
  return {
    code: keepText(fault.code) || code,
    message: keepText(fault.message) || "the agent gave no reason",
    retry: permanent ? "never" : retryAfterMs > 0 ? "after" : "backoff",
    ...(retryAfterMs > 0 && !permanent ? { retryAfterMs } : {}),
    ...(fault.help === "" ? {} : { help: keepText(fault.help) }),
  };
}
