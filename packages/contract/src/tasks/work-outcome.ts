import type { JsonObject } from "../entities.ts";

/** Why a task failed. Sent as a TaskFault message. */
export interface WorkFault {
  /** Fault code in the form `package.reason`. */
  readonly code: string;
  readonly message: string;
  /** How to fix the problem. */
  readonly help?: string;
  /** True if a retry cannot succeed. */
  readonly permanent?: boolean;
  readonly retryAfterMs?: number;
  /** Leftover resources in the cloud, each in the form `kind id: reason`. */
  readonly left?: readonly string[];
}

/** How a task ended. Agents send it to the control plane as FinishTaskRequest. Remote deployers send it to agents as DeployerOutcome. */
export type WorkOutcome =
  | { readonly outcome: "done"; readonly outputs?: JsonObject }
  | { readonly outcome: "failed"; readonly fault: WorkFault; readonly outputs?: JsonObject }
  | { readonly outcome: "cancelled" };

/**
 * Output of an apply that built everything but some node pools. It maps the name of each of these pools to the fault that it reports: `code`,
 * `message` and `help`.
 */
export const poolProblemsOutput = "pool_problems";

/**
 * Name of the output that a successful apply sets to request another run of the same operation. Its value describes what that run does. The
 * reconciler then makes a new plan, which is checked, approved and applied like the first one.
 */
export const nextRunOutput = "next_run";
