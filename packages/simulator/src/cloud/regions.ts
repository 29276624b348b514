import { findZones, type CloudName } from "@cloudwright/contract/clouds";

export { listRegions, type CloudName } from "@cloudwright/contract/clouds";

/** A region and the full names of its zones. */
export interface Region {
  readonly name: string;
  readonly zones: readonly string[];
}

export function findRegion(cloud: CloudName, name: string): Region | undefined {
  const zones = findZones(cloud, name);
  return zones === undefined ? undefined : { name, zones };
}
