import type { StepResult } from "../engine/step.ts";
import type { Scope, ScopeTask } from "../engine/scope.ts";

/** The pause after a run was interrupted in all attempts. */
const interruptedMs = 60_000;

/**
 * Fault codes that never fail an operation. After all attempts of a task have failed, a new task is requested after this pause. An
 * interrupted run may have created resources that no state contains, and giving up would leave them in the account.
 */
const pausesMs: ReadonlyMap<string, number> = new Map([
  ["deployer.adoption_failed", 600_000],
  ["terraform.killed", interruptedMs],
  ["tasks.lease_expired", interruptedMs],
]);

/** Returns whether a task's fault must not fail the operation. */
export function isEndless(code: string): boolean {
  return pausesMs.has(code);
}

/** Waits until a failed task may be requested again. Returns undefined when the pause is over. */
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
