import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  FinishTaskRequestSchema,
  LogLineSchema,
  type FinishTaskRequest,
  type TaskProgressSchema,
} from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { Fault, type Clock, type Logger } from "@cloudwright/platform";
import { pause, pauseMs } from "./back-off.ts";
import type { BootTime } from "./boot-time.ts";
import { taskClientFaults } from "./faults.ts";
import type { LogBuffer } from "./log-buffer.ts";
import type { Wire } from "./wire.ts";

/** The result of a delivery. `refused` means that the agent no longer holds the lease. */
export type Delivery = "accepted" | "refused" | "unanswered";

const tryMs = 10_000;
const mostFlushes = 20;

/**
 * Sends an outcome repeatedly until the server responds, the caller aborts, or the lease has certainly expired (boot time `surelyGoneMs`).
 * Calls `keep` after the first failed attempt, to make the outcome durable.
 */
export async function deliverOutcome(
  deps: { wire: Wire; clock: Clock; bootTime: BootTime; log: Logger },
  request: FinishTaskRequest,
  said: { lines: LogBuffer; report: () => MessageInitShape<typeof TaskProgressSchema> },
  until: { signal: AbortSignal; surelyGoneMs: () => number },
  keep: () => Promise<void>,
): Promise<Delivery> {
  const { wire, clock, log } = deps;
  const { signal } = until;
  let message = request;
  await flush(wire, said, signal);
  for (let tries = 0; !signal.aborted && deps.bootTime() < until.surelyGoneMs(); tries += 1) {
    try {
      message.lines = renderLines(said.lines).map((line) => create(LogLineSchema, line));
      const { accepted } = await wire.finish(message, { timeoutMs: tryMs, signal });
      return accepted ? "accepted" : "refused";
    } catch (error) {
      if (signal.aborted) break;
      log.warn({ err: error, task: request.uid }, "outcome not delivered yet");
      if (tries === 0) await keep().catch((cause: unknown) => log.warn({ err: cause }, "outcome not synced to the disk"));
      // The server cannot parse this outcome, so retrying is useless. A failure is reported instead.
      if (isRejected(error)) {
        if (message !== request) return "refused";
        message = renderUnreadable(request, error);
      }
      await pause(clock, pauseMs(tries), signal);
    }
  }
  return "unanswered";
}

/** Converts buffered log lines to their wire format. */
export function renderLines(lines: LogBuffer): { seq: number; at: ReturnType<typeof timestampFromMs>; line: string }[] {
  return lines.peek().map(({ seq, atMs, line }) => ({ seq, at: timestampFromMs(atMs), line }));
}

// The outcome message has room for one batch of log lines. Earlier batches are sent before it.
async function flush(wire: Wire, said: Parameters<typeof deliverOutcome>[2], signal: AbortSignal): Promise<void> {
  for (let count = 0; count < mostFlushes && said.lines.hasMore(); count += 1) {
    const report = said.report();
    try {
      await wire.heartbeat({ tasks: [report] }, { timeoutMs: tryMs, signal });
    } catch {
      return;
    }
    said.lines.acknowledge(report.lines?.at(-1)?.seq ?? 0);
  }
}

function isRejected(error: unknown): error is Fault {
  return error instanceof Fault && error.code === taskClientFaults.rejected.code;
}

function renderUnreadable(request: FinishTaskRequest, error: Fault): FinishTaskRequest {
  const { uid, leaseToken } = request;
  const fault = {
    code: error.code,
    message: `the server rejected the outcome: ${error.message}`.slice(0, 4000),
    help: error.help,
    permanent: true,
  };
  return create(FinishTaskRequestSchema, { uid, leaseToken, outcome: "failed", fault });
}
