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

/** Why a task is made to stop: by the user, with the agent, because the server says the lease is not ours, or that nobody renewed it, or without a watchdog. */
export type StopReason = "cancelled" | "stopping" | "refused" | "expired" | "unguarded";

/** How a task ended, as the server is told. */
export type TaskOutcome = HandlerOutcome | { readonly outcome: "returned"; readonly fault?: HandlerFault };

/** Any thrown value as a fault of the task. */
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

/** How a task ended that threw. What the fault says of single fields goes with it, so that nobody has to read it out of a sentence. */
export function toFailure(error: unknown): HandlerOutcome {
  const fields = error instanceof Fault ? error.fields : [];
  const findings = fields.map(({ field, message, help = "", code = "" }) => ({ field, message, help, code }));
  return { outcome: "failed", fault: toHandlerFault(error), ...(findings.length === 0 ? {} : { outputs: { findings } }) };
}

/** What is reported: work that is done is done; else the reason for which it was stopped counts more than what it said itself. */
export function decideOutcome(said: HandlerOutcome | undefined, stopped: StopReason | undefined): TaskOutcome {
  if (said?.outcome === "done") return said;
  if (stopped === "cancelled") return { outcome: "cancelled" };
  if (stopped !== undefined) return { outcome: "returned" };
  // Nobody has asked for it: whoever did the work was stopped, not the task.
  return said === undefined || said.outcome === "cancelled" ? { outcome: "returned" } : said;
}

/** The outcome as a message. */
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

/** A fault as it travels, cut to what a message may hold. */
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
