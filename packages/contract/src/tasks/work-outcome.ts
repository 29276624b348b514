import type { JsonObject } from "../entities.ts";

/** Why a task failed. It is sent as the message TaskFault. */
export interface WorkFault {
  /** `package.reason`. */
  readonly code: string;
  readonly message: string;
  /** What to do next. */
  readonly help?: string;
  /** True if a retry cannot help. */
  readonly permanent?: boolean;
  readonly retryAfterMs?: number;
  /** Leftover resources in the cloud, one item each: `kind id: why`. */
  readonly left?: readonly string[];
}

/** How a task ended. It is sent as the messages FinishTaskRequest (to the control plane) and DeployerOutcome (from a remote deployer). */
export type WorkOutcome =
  | { readonly outcome: "done"; readonly outputs?: JsonObject }
  | { readonly outcome: "failed"; readonly fault: WorkFault; readonly outputs?: JsonObject }
  | { readonly outcome: "cancelled" };
