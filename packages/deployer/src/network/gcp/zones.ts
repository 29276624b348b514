import { getCloud, listDefaultZones } from "@cloudwright/contract/clouds";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity } from "../../task.ts";

/** Returns the network's region. Throws if the region's name is invalid. */
export function getRegion({ name, spec }: DeployedEntity<"Network">): string {
  const { region } = spec;
  if (getCloud("gcp").regions.isName(region)) return region;
  throw new Fault(deployerFaults.bad_spec, `spec.region of ${name} is "${region}"; use a region such as europe-west1`);
}

/** Returns the zones for machines: those in the spec, or the default zones of the region. */
export function listZones({ name, spec }: DeployedEntity<"Network">, region: string): readonly string[] {
  if (spec.zones.length === 0) return listDefaultZones("gcp", region);
  const zones = spec.zones.map((zone) => getCloud("gcp").regions.renderZone(region, zone));
  const stranger = zones.find((zone) => !new RegExp(`^${region}-[a-z]$`).test(zone));
  if (stranger === undefined) return zones;
  throw new Fault(deployerFaults.bad_spec, `the zone "${stranger}" in spec.zones of ${name} is not in ${region}`);
}
