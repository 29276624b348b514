import { Fault } from "@cloudwright/platform";
import type { Cloud } from "../../cloud.ts";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import { needsAddress } from "./variables.ts";

/** Finds the agent's own public address if access to the cluster is limited to it. Throws if the address is needed but unknown. */
export async function observeCluster(
  entity: DeployedEntity<"Cluster">,
  around: Surroundings,
  { clusters }: Pick<Cloud, "clusters">,
  version: string,
): Promise<JsonObject> {
  if (clusters === undefined || !needsAddress(entity, around, version)) return {};
  const address = await clusters.findAddress();
  if (address !== undefined) return { address };
  const message = `the agent cannot determine its public address, and by default only that address may reach the public endpoint of ${entity.name}; set spec.endpoint.publicCidrs, or make the endpoint private`;
  throw new Fault(deployerFaults.bad_spec, message);
}

/**
 * Returns whether AKS or an autoscaler controls an attribute: the size of pools with `autoscaling`, the images of nodes, credentials, and the
 * Kubernetes version of clusters that AKS upgrades.
 */
export function isOwnedByAks(
  { resourceType, address }: { readonly resourceType: string; readonly address: string },
  path: readonly (string | number)[],
  { nodePools, outputs }: Pick<Surroundings, "nodePools" | "outputs">,
): boolean {
  const name = path.join(".");
  const isUpgraded = outputs["upgraded_by_cloud"] === true;
  if (resourceType === "azurerm_kubernetes_cluster_node_pool") {
    if (name === "node_image_version" || (isUpgraded && name === "orchestrator_version")) return true;
    return (
      name === "node_count" &&
      nodePools.some((pool) => pool.spec.autoscaling && address.endsWith(`[${JSON.stringify(pool.name)}]`))
    );
  }
  if (resourceType !== "azurerm_kubernetes_cluster") return false;
  if (/^kube_(admin_)?config(_raw)?\b/.test(name)) return true;
  const versions = ["current_kubernetes_version", "kubernetes_version", "default_node_pool.0.orchestrator_version"];
  return isUpgraded && versions.includes(name);
}
