import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  FinishTaskRequestSchema,
  type FinishTaskRequest,
  type LeasedTask,
  type TaskFaultSchema,
} from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { describeError, Fault } from "@cloudwright/platform";
import { taskClientFaults } from "./faults.ts";
import type { HandlerFault, HandlerOutcome } from "./handler.ts";

/**
 * Why a task is stopped: cancelled by a user, the agent is stopping, the server says that the lease is not ours, the lease was not renewed,
 * or there is no watchdog.
 */
export type StopReason = "cancelled" | "stopping" | "refused" | "expired" | "unguarded";

/** How a task ended, as reported to the server. */
export type TaskOutcome = HandlerOutcome | { readonly outcome: "returned"; readonly fault?: HandlerFault };

/** Converts any thrown value into a fault of the task. */
function toHandlerFault(error: unknown): HandlerFault {
  if (!(error instanceof Fault)) {
    const { code, help } = taskClientFaults.handler_failed;
    return { code, help, message: `the handler failed: ${describeError(error)}` };
  }
  return {
    code: error.code,
    message: error.message,
    help: error.help,
    permanent: error.retry === "never",
    ...(error.retry === "after" && error.retryAfterMs !== undefined ? { retryAfterMs: error.retryAfterMs } : {}),
  };
}

/** Converts a thrown value into a failed outcome. The field details of a fault are kept, so that nobody has to parse its message. */
export function toFailure(error: unknown): HandlerOutcome {
  const fields = error instanceof Fault ? error.fields : [];
  const findings = fields.map(({ field, message, help = "", code = "" }) => ({ field, message, help, code }));
  return { outcome: "failed", fault: toHandlerFault(error), ...(findings.length === 0 ? {} : { outputs: { findings } }) };
}

/**
 * Decides what is reported. Completed work is reported as done. Otherwise the reason for stopping takes precedence over the handler's own
 * outcome.
 */
export function decideOutcome(said: HandlerOutcome | undefined, stopped: StopReason | undefined): TaskOutcome {
  if (said?.outcome === "done") return said;
  if (stopped === "cancelled") return { outcome: "cancelled" };
  if (stopped !== undefined) return { outcome: "returned" };
  // The agent was stopped, not the task.
  return said === undefined || said.outcome === "cancelled" ? { outcome: "returned" } : said;
}

/** Renders the outcome as a message. */
export function renderFinish(task: LeasedTask, outcome: TaskOutcome): FinishTaskRequest {
  const request = { uid: task.uid, leaseToken: task.leaseToken, outcome: outcome.outcome };
  if (outcome.outcome === "done") {
    return create(FinishTaskRequestSchema, {
      ...request,
      ...(outcome.outputs === undefined ? {} : { outputs: outcome.outputs }),
    });
  }
  if (outcome.outcome !== "failed") return create(FinishTaskRequestSchema, request);
  const { fault, outputs } = outcome;
  return create(FinishTaskRequestSchema, {
    ...request,
    ...(outputs === undefined ? {} : { outputs }),
    fault: renderFault(fault),
  });
}

/** Renders a fault as it is sent, truncated to what a message may contain. */
export function renderFault(fault: HandlerFault): MessageInitShape<typeof TaskFaultSchema> {
  return {
    code: fault.code.slice(0, 128),
    message: fault.message.slice(0, 16_000).toWellFormed(),
    help: (fault.help ?? "").slice(0, 4000).toWellFormed(),
    permanent: fault.permanent ?? false,
    retryAfterMs: Math.min(86_400_000, Math.max(0, Math.round(fault.retryAfterMs ?? 0))),
    left: fault.left?.slice(0, 1000) ?? [],
  };
}
