import type { ApiOperation } from "../../../api/api-service.ts";
import { followOperations } from "../follow-operations.ts";
import { poolOperations } from "./agent-pools.ts";
import { clusterOperations } from "./clusters.ts";
import { kubeconfigOperations } from "./kubeconfig.ts";
import { versionOperations } from "./versions.ts";

/** The simulated operations of AKS. */
export const aksOperations: readonly ApiOperation[] = [
  ...clusterOperations,
  ...poolOperations,
  ...versionOperations,
  ...kubeconfigOperations,
  ...followOperations("Microsoft.ContainerService"),
];
