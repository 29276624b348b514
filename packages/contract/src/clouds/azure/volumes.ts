import { confirmProblems, type SpecCheck } from "../spec-checks.ts";
import { zoneSuffixes } from "./zones.ts";

/**
 * Type of volumes whose spec does not name one. Machines of every size can use it. Premium disks can only be attached to sizes with an `s`
 * in their names, such as Standard_D2s_v5.
 */
export const defaultVolumeType = "StandardSSD_LRS";

const types = [defaultVolumeType, "StandardSSD_ZRS", "Premium_LRS", "Premium_ZRS", "Standard_LRS"];
const mostGib = 32_767;

/** The fields of a volume's spec to which the rules apply. */
interface VolumeShape {
  readonly sizeGib?: number;
  readonly region?: string;
  readonly zone?: string;
  readonly type?: string;
}

/** Returns whether disks of a type are copied to all zones of their region. They have no zone of their own. */
export function isZoneRedundant(type: string): boolean {
  return type.endsWith("_ZRS");
}

/** Returns the settings that volumes in Azure do not support. */
export const checkAzureVolume: SpecCheck = ({ spec }) => {
  const { sizeGib = 0, region = "", zone = "", type = "" } = spec as VolumeShape;
  const suffixes = Object.hasOwn(zoneSuffixes, region) ? (zoneSuffixes[region] ?? "") : "123";
  const offered = suffixes.split("").map((suffix) => `${region}-${suffix}`);
  const isRedundant = isZoneRedundant(type);
  return confirmProblems([
    [region === "", "spec.region", "is required; disks in Azure belong to a region such as westeurope"],
    [
      region !== "" && zone !== "" && !isRedundant && !offered.includes(/^\d$/.test(zone) ? `${region}-${zone}` : zone),
      "spec.zone",
      suffixes === ""
        ? `is "${zone}", but ${region} has no zones; remove the field`
        : `is "${zone}"; use one of ${offered.join(", ")}`,
    ],
    [zone !== "" && isRedundant, "spec.zone", `must be empty for ${type} volumes, which exist in all zones of their region`],
    [isRedundant && suffixes === "", "spec.type", `is ${type}, but ${region} has no zones; use ${type.replace("_ZRS", "_LRS")}`],
    [type !== "" && !types.includes(type), "spec.type", `is "${type}"; use one of ${types.join(", ")}`],
    [sizeGib > mostGib, "spec.sizeGib", `is ${sizeGib}; volumes in Azure have at most ${mostGib} GiB`],
  ]);
};
