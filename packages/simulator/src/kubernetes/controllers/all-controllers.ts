import type { Controller } from "./controller.ts";
import { daemonSets } from "./daemon-sets.ts";
import { definitions } from "./definitions.ts";
import { deployments } from "./deployments.ts";
import { disruptionBudgets } from "./disruption-budgets.ts";
import { endpoints } from "./endpoints.ts";
import { garbage } from "./garbage.ts";
import { jobs } from "./jobs.ts";
import { kubelet } from "./kubelet.ts";
import { loadBalancers } from "./load-balancers.ts";
import { namespaces } from "./namespaces.ts";
import { nodes } from "./nodes.ts";
import { replicaSets } from "./replica-sets.ts";
import { scheduler } from "./scheduler.ts";
import { statefulSets } from "./stateful-sets.ts";
import { volumeClaims } from "./volume-claims.ts";
import { volumes } from "./volumes.ts";

/** The controllers that run in every simulated cluster. */
export const allControllers: readonly Controller[] = [
  namespaces,
  nodes,
  deployments,
  replicaSets,
  statefulSets,
  daemonSets,
  jobs,
  scheduler,
  volumeClaims,
  volumes,
  kubelet,
  endpoints,
  loadBalancers,
  disruptionBudgets,
  definitions,
  garbage,
];
