import { Fault } from "@cloudwright/platform";
import type { Cloud } from "../../cloud.ts";
import { deployerFaults } from "../../faults.ts";
import { textOf } from "../../read-spec.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import { awsOf } from "./aws-of.ts";
import { readChoices } from "./choices.ts";
import { needsAddress } from "./current-variables.ts";

/**
 * Reads the facts that a cluster's variables depend on: the agent's own address and identity, if the cluster is new, and the current size
 * of pools that an autoscaler controls. Throws if the address is needed but unknown.
 */
export async function observeCluster(
  entity: DeployedEntity<"Cluster">,
  around: Surroundings,
  { clusters }: Pick<Cloud, "clusters">,
  isCurrent: boolean,
): Promise<JsonObject> {
  if (clusters === undefined) return {};
  const { isNew, creatorArn } = readChoices(around.outputs);
  const isScaledByOthers = around.nodePools.some(({ spec }) => spec.autoscaling);
  const address = isCurrent && needsAddress(entity, around) ? await clusters.findAddress() : "";
  if (address === undefined) {
    const message = `the agent cannot determine its public address, and by default only that address may reach the public endpoint of ${entity.name}; set spec.endpoint.publicCidrs, or make the endpoint private`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  const principal = isCurrent && isNew ? await clusters.findPrincipal(nameInCloud(entity, around.outputs)) : undefined;
  // If EKS itself created an access entry for the cluster's creator, the configuration must not create it again.
  const isGiven = awsOf(entity.spec).accessEntries.length > 0 && principal === undefined && creatorArn === undefined;
  const builtInAccess = isGiven ? await clusters.findBuiltInAccess?.(nameInCloud(entity, around.outputs)) : undefined;
  const nodes = isScaledByOthers && !isNew ? await clusters.countNodes(nameInCloud(entity, around.outputs)) : undefined;
  return {
    ...(address === "" ? {} : { address }),
    ...(principal === undefined ? {} : { principal }),
    ...(builtInAccess === undefined ? {} : { builtInAccess }),
    ...(nodes === undefined ? {} : { nodes: { ...nodes } }),
  };
}

/** Returns the cluster's name in AWS. Until the first apply has finished, the name is derived in the same way as in the configuration. */
export function nameInCloud({ name, uid }: DeployedEntity<"Cluster">, outputs: JsonObject): string {
  const known = textOf(outputs["cluster_name"]);
  return known === "" ? `${name.slice(0, 40).replace(/-$/, "")}-${uid.replaceAll("-", "").slice(-8)}` : known;
}

/** Returns whether an autoscaler controls this attribute: the size of a pool with `autoscaling`. */
export function isScaled(
  { resourceType, address }: { readonly resourceType: string; readonly address: string },
  path: readonly (string | number)[],
  { nodePools }: Surroundings,
): boolean {
  if (resourceType !== "aws_eks_node_group" || path.join(".") !== "scaling_config.0.desired_size") return false;
  return nodePools.some(({ name, spec }) => spec.autoscaling && address.endsWith(`[${JSON.stringify(name)}]`));
}
