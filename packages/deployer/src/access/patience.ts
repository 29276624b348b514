import type { DeployedAccount } from "../task.ts";

/** How long a cluster is waited for. */
export interface Patience {
  /** Until its API answers. */
  readonly reachMs: number;
  /** Until all nodes are ready. */
  readonly nodesMs: number;
  /** Until one add-on is ready. */
  readonly addOnMs: number;
  /** Until what a cluster has made in its cloud is gone. */
  readonly sweepMs: number;
}

const real: Patience = { reachMs: 180_000, nodesMs: 900_000, addOnMs: 300_000, sweepMs: 600_000 };
// Where nothing takes its time, what is not there soon never comes.
const simulated: Patience = { reachMs: 30_000, nodesMs: 60_000, addOnMs: 30_000, sweepMs: 30_000 };

/** How long the clusters of an account are waited for, where nothing else was said. */
export function patienceWith(account: DeployedAccount, own: Partial<Patience> = {}): Patience {
  return { ...(account.simulated ? simulated : real), ...own };
}
