import type { Surroundings } from "../../task.ts";
import { poolOf } from "./zonal-pools.ts";

/** Attributes that change when GKE itself upgrades or changes a cluster. */
const ofCloud = new Set(["ready", "master_version", "min_master_version", "node_version", "version"]);

/**
 * Returns whether something other than the platform may change an attribute. This applies to the size of a pool with an autoscaler, to
 * versions, and to `ready`, which is false while GKE itself changes the resource.
 */
export function isScaledPool(
  { resourceType, address }: { readonly resourceType: string; readonly address: string },
  path: readonly (string | number)[],
  { nodePools }: Surroundings,
): boolean {
  if (ofCloud.has(String(path[0]))) return true;
  if (resourceType !== "google_container_node_pool" || path.join(".") !== "node_count") return false;
  const pool = poolOf(address.slice(address.indexOf(".") + 1));
  return nodePools.some(({ name, spec }) => spec.autoscaling && name === pool);
}
