import type { ApiOperation } from "../../../api/api-service.ts";
import { clusterOperations } from "./clusters.ts";
import { operationOperations } from "./gke-operations.ts";
import { nodePoolOperations } from "./node-pools.ts";
import { versionOperations } from "./versions.ts";

/** The simulated operations of GKE. */
export const gkeOperations: readonly ApiOperation[] = [
  ...clusterOperations,
  ...nodePoolOperations,
  ...operationOperations,
  ...versionOperations,
];
