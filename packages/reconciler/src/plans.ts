import { accountPlan } from "./account/phases.ts";
import { clusterPlan } from "./cluster/phases.ts";
import type { KindPlan } from "./engine/phase.ts";
import { networkPlan } from "./network/phases.ts";
import { nodePoolPlan } from "./node-pool/phases.ts";
import { storagePlan } from "./storage/phases.ts";

/** How each kind comes into being and goes. */
export const plans: Readonly<Record<string, KindPlan>> = {
  Account: accountPlan,
  Network: networkPlan,
  Cluster: clusterPlan,
  NodePool: nodePoolPlan,
  Storage: storagePlan,
};
