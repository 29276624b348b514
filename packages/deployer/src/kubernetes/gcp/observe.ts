import { Fault } from "@cloudwright/platform";
import type { Cloud } from "../../cloud.ts";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import { needsAddress } from "./variables.ts";

/** Finds the agent's own public address if the public endpoint is limited to it. Throws if the address is needed but unknown. */
export async function observeCluster(
  entity: DeployedEntity<"Cluster">,
  around: Surroundings,
  { clusters }: Pick<Cloud, "clusters">,
): Promise<JsonObject> {
  if (clusters === undefined || !needsAddress(entity, around)) return {};
  const address = await clusters.findAddress();
  if (address !== undefined) return { address };
  const message = `the agent cannot determine its public address, and by default only that address may reach the public endpoint of ${entity.name}; set spec.endpoint.publicCidrs, or make the endpoint private`;
  throw new Fault(deployerFaults.bad_spec, message);
}

/** Returns whether an autoscaler controls this attribute: the size of a pool with `autoscaling`. */
export function isScaled(
  { resourceType, address }: { readonly resourceType: string; readonly address: string },
  path: readonly (string | number)[],
  { nodePools }: Surroundings,
): boolean {
  if (resourceType !== "google_container_node_pool" || path.join(".") !== "node_count") return false;
  return nodePools.some(({ name, spec }) => spec.autoscaling && address.includes(`["${name}/`));
}
