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
 * Why a task is stopped: the server requested it (`cancelled`), the agent is shutting down (`stopping`), the server rejected the lease
 * (`refused`), the lease was not renewed in time (`expired`), or the watchdog has exited (`unguarded`).
 */
export type StopReason = "cancelled" | "stopping" | "refused" | "expired" | "unguarded";

/** How an attempt ended, as reported to the server. */
export type TaskOutcome = HandlerOutcome | { readonly outcome: "returned"; readonly fault?: HandlerFault };

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
    ...(error.left.length === 0 ? {} : { left: [...error.left] }),
  };
}

/** Converts a thrown value to a failed outcome. The fields of a fault are kept as findings, so that callers need not parse the message. */
export function toFailure(error: unknown): HandlerOutcome {
  const fields = error instanceof Fault ? error.fields : [];
  const findings = fields.map(({ field, message, help = "", code = "" }) => ({ field, message, help, code }));
  return { outcome: "failed", fault: toHandlerFault(error), ...(findings.length === 0 ? {} : { outputs: { findings } }) };
}

/**
 * Decides which outcome to report. Completed work is reported as done. Otherwise the reason for stopping takes precedence over the
 * handler's outcome.
 */
export function decideOutcome(said: HandlerOutcome | undefined, stopped: StopReason | undefined): TaskOutcome {
  if (said?.outcome === "done") return said;
  if (stopped === "cancelled") return { outcome: "cancelled" };
  if (stopped !== undefined) return { outcome: "returned" };
  // The task was interrupted, but nobody cancelled it, so it is handed back.
  return said === undefined || said.outcome === "cancelled" ? { outcome: "returned" } : said;
}

/** Converts an outcome to a request message. */
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

/** Converts a fault to its wire format. Truncates strings to the limits of the message. */
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
