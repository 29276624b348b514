import { Fault } from "@cloudwright/platform";
import { taskClientFaults } from "./faults.ts";
import type { StopReason } from "./outcome.ts";

/** Stops one task: first gently, then by force, then without waiting for its handler. */
export interface Stopper {
  readonly signal: AbortSignal;
  reason(): StopReason | undefined;
  stop(reason: StopReason, detail?: string): void;
  /** Sets the programs to stop. If the task was stopped before it had any, they are stopped at once. */
  attach(children: { signal(name: "SIGINT"): void; close(): void }): void;
  /** Resolves when the handler is no longer waited for. */
  readonly abandoned: Promise<void>;
  /** Clears its timers. */
  settle(): void;
}

const gentle: readonly StopReason[] = ["cancelled", "stopping"];
const abandonAfterMs = 500;

/** Creates a stopper that gives programs this long between SIGINT and SIGKILL. */
export function createStopper(graceMs: number): Stopper {
  const controller = new AbortController();
  const abandoned = Promise.withResolvers<void>();
  const timers: NodeJS.Timeout[] = [];
  let children: Parameters<Stopper["attach"]>[0] | undefined;
  let stopped: StopReason | undefined;

  const force = (): void => {
    children?.close();
    timers.push(setTimeout(abandoned.resolve, abandonAfterMs));
  };
  return {
    signal: controller.signal,
    abandoned: abandoned.promise,
    reason: () => stopped,
    stop(reason, detail) {
      // A lost lease takes precedence over a stop in progress. Any other reason is used once.
      if (stopped !== undefined && (gentle.includes(reason) || !gentle.includes(stopped))) return;
      stopped = reason;
      controller.abort(toFault(reason, detail));
      if (!gentle.includes(reason)) return force();
      children?.signal("SIGINT");
      timers.push(setTimeout(force, graceMs));
    },
    attach(added) {
      children = added;
      if (stopped !== undefined) added.close();
    },
    settle() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

function toFault(reason: StopReason, detail: string | undefined): Fault {
  switch (reason) {
    case "cancelled":
      return new Fault(taskClientFaults.cancelled, detail || "the task was cancelled");
    case "stopping":
      return new Fault(taskClientFaults.stopping, "the agent is being stopped");
    case "unguarded":
      return new Fault(taskClientFaults.watchdog_lost, "the watchdog has exited");
    case "refused":
      return new Fault(taskClientFaults.lease_lost, "this agent no longer holds the lease");
    case "expired":
      return new Fault(taskClientFaults.lease_lost, "the lease could not be renewed in time");
  }
}
