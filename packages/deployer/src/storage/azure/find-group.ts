import { findParent } from "@cloudwright/contract";
import type { Surroundings } from "../../task.ts";

/**
 * Returns the resource group that the user chose for the network, or null if the network has its own group. In that case, other entities
 * also have their own groups, so that each group can be deleted with its entity.
 */
export function findGroup(around: Surroundings): string | null {
  const { cloud } = findParent(around, "Network")?.spec ?? {};
  return (cloud?.case === "azure" && cloud.value.resourceGroup) || null;
}
