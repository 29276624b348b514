import type { Surroundings } from "../../task.ts";

/**
 * Returns whether something other than the platform may change an attribute. This applies to the size of a pool with an autoscaler, and to
 * `ready`, which is false while AWS itself changes the resource.
 */
export function isScaledPool(
  { resourceType, address }: { readonly resourceType: string; readonly address: string },
  path: readonly (string | number)[],
  { nodePools }: Surroundings,
): boolean {
  if (path[0] === "ready") return true;
  if (resourceType !== "aws_eks_node_group" || path.join(".") !== "scaling_config.0.desired_size") return false;
  return nodePools.some(({ name, spec }) => spec.autoscaling && address === `aws_eks_node_group.${name}`);
}
