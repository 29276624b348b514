import type { DeployedAccount } from "../task.ts";

/** Time limits for operations on a cluster, in milliseconds. */
export interface Patience {
  /** Time limit for the Kubernetes API to respond. */
  readonly reachMs: number;
  /** Time limit for all nodes to become ready. */
  readonly nodesMs: number;
  /** Time limit for a single add-on to become ready. */
  readonly addOnMs: number;
  /** Time limit for removing the resources that the cluster created in its cloud. */
  readonly sweepMs: number;
  /** Time limit for outdated nodes to leave the cluster on their own before an upgrade. */
  readonly oldNodesMs: number;
}

const real: Patience = { reachMs: 180_000, nodesMs: 900_000, addOnMs: 300_000, sweepMs: 600_000, oldNodesMs: 900_000 };
// Simulated clusters start within seconds, so short time limits are enough and report failures sooner.
const simulated: Patience = { reachMs: 30_000, nodesMs: 60_000, addOnMs: 30_000, sweepMs: 30_000, oldNodesMs: 10_000 };

/** Returns the default time limits for the account's clusters. Fields in `own` override them. */
export function patienceWith(account: DeployedAccount, own: Partial<Patience> = {}): Patience {
  return { ...(account.simulated ? simulated : real), ...own };
}
