import type { StepResult } from "../engine/step.ts";
import type { Scope, ScopeTask } from "../engine/scope.ts";

/** Pause before the next task if every attempt of the last task was interrupted. */
const interruptedMs = 60_000;

/**
 * Fault codes that never fail an operation, each with a pause. If a task has used up its attempts and failed with such a code, a new task
 * is requested after the pause. An interrupted run may have created resources that no state contains, and giving up would leave them in the
 * account.
 */
const pausesMs: ReadonlyMap<string, number> = new Map([
  ["deployer.adoption_failed", 600_000],
  ["terraform.killed", interruptedMs],
  ["tasks.lease_expired", interruptedMs],
]);

/** Returns whether a fault with this code must never fail the operation. */
export function isEndless(code: string): boolean {
  return pausesMs.has(code);
}

/** Waits until a failed task may be requested again. Returns undefined once the pause is over. */
export function pauseEndless(
  scope: Pick<Scope, "nowMs">,
  task: ScopeTask,
  { code, message }: { readonly code: string; readonly message: string },
): StepResult | undefined {
  const waitMs = (task.endedAtMs ?? scope.nowMs) + (pausesMs.get(code) ?? interruptedMs) - scope.nowMs;
  if (waitMs <= 0) return undefined;
  const said = `${task.type} failed; retrying in ${Math.ceil(waitMs / 1000)} s: ${message.slice(0, mostReason)}`;
  return { do: "wait", reason: "Retrying", message: said, task, recheckAfterMs: waitMs + 100 };
}

const mostReason = 500;
