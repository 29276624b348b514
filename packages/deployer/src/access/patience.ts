import type { DeployedAccount } from "../task.ts";

/** Deadlines of waiting for a cluster. */
export interface Patience {
  /** Until its API responds. */
  readonly reachMs: number;
  /** Until all nodes are ready. */
  readonly nodesMs: number;
  /** Until one add-on is ready. */
  readonly addOnMs: number;
  /** Until the resources that a cluster created in its cloud are gone. */
  readonly sweepMs: number;
}

const real: Patience = { reachMs: 180_000, nodesMs: 900_000, addOnMs: 300_000, sweepMs: 600_000 };
// A simulated cloud is fast: what is not ready soon never will be.
const simulated: Patience = { reachMs: 30_000, nodesMs: 60_000, addOnMs: 30_000, sweepMs: 30_000 };

/** Returns the deadlines for clusters of an account, with overrides. */
export function patienceWith(account: DeployedAccount, own: Partial<Patience> = {}): Patience {
  return { ...(account.simulated ? simulated : real), ...own };
}
