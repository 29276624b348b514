import { Fault } from "@cloudwright/platform";
import { taskClientFaults } from "./faults.ts";
import type { StopReason } from "./outcome.ts";

/** Stops a task in three steps: sends SIGINT, sends SIGKILL, and finally stops waiting for the handler. */
export interface Stopper {
  readonly signal: AbortSignal;
  reason(): StopReason | undefined;
  stop(reason: StopReason, detail?: string): void;
  /** Sets which programs are stopped with the task. They are killed immediately if the task was already stopped. */
  attach(children: { signal(name: "SIGINT"): void; close(): void }): void;
  /** Resolves if the handler has not stopped in time. */
  readonly abandoned: Promise<void>;
  /** Clears all timers. */
  settle(): void;
}

const gentle: readonly StopReason[] = ["cancelled", "stopping"];
const abandonAfterMs = 500;

/** Creates a stopper. `graceMs` is the time between SIGINT and SIGKILL. */
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
      // Only a lost lease or watchdog can override an earlier reason.
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
