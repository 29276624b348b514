import { isList } from "../../values/value.ts";
import { numberOf } from "../../values/read-value.ts";
import type { CloudRecord } from "../../inventory/inventory.ts";

/** Returns the number of nodes that a GKE node pool should currently have across all of its zones. */
export function countNodes(attributes: CloudRecord["attributes"]): number {
  const zones = isList(attributes["node_locations"]) ? Math.max(1, attributes["node_locations"].length) : 1;
  const perZone = numberOf(attributes["node_count"]) ?? numberOf(attributes["initial_node_count"]) ?? 0;
  return zones * perZone;
}
