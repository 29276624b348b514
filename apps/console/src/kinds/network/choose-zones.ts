import { getCloud, type CloudName } from "@cloudwright/contract/clouds";
import { getCloudView } from "../../clouds/registry.ts";

/** Returns the suffixes of the zones in a region. For an unknown region, returns the cloud's usual zone suffixes. */
export function listZones(cloud: CloudName, region: string): readonly string[] {
  const { known } = getCloud(cloud).regions;
  return Object.hasOwn(known, region) ? (known[region] ?? "").split("") : getCloudView(cloud).zones;
}

/**
 * Returns the zones to select after the region changes. Keeps the previous zones if the new region has all of them. Otherwise selects the
 * default zones of the new region.
 */
export function chooseZones(cloud: CloudName, region: string, before: readonly string[]): readonly string[] {
  const offered = listZones(cloud, region);
  if (before.length > 0 && before.every((zone) => offered.includes(zone))) return before;
  const { defaultZones, findDefaultZones } = getCloud(cloud).regions;
  return (findDefaultZones?.(region) ?? defaultZones)
    .filter((zone) => offered.includes(zone))
    .slice(0, getCloudView(cloud).zoneCount);
}

/** Returns the region and zones that the network form suggests for a cloud. */
export function suggestLocation(cloud: CloudName): { readonly region: string; readonly zones: readonly string[] } {
  const region = getCloud(cloud).regions.default;
  return { region, zones: chooseZones(cloud, region, []) };
}
