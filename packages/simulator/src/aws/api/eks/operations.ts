import type { ApiOperation } from "../../../api/api-service.ts";
import { accessEntryOperations } from "./access-entries.ts";
import { addonOperations } from "./addons.ts";
import { clusterOperations } from "./clusters.ts";
import { nodeGroupOperations } from "./node-groups.ts";
import { tagOperations } from "./tags.ts";
import { updateOperations } from "./updates.ts";
import { versionOperations } from "./versions.ts";

/** The simulated operations of EKS. */
export const eksOperations: readonly ApiOperation[] = [
  ...clusterOperations,
  ...nodeGroupOperations,
  ...updateOperations,
  ...accessEntryOperations,
  ...addonOperations,
  ...versionOperations,
  ...tagOperations,
];
