import { confirmProblems, type SpecCheck } from "../spec-checks.ts";

/**
 * Type of volumes whose spec does not name one. Machines of every size can use it. Premium disks can only be attached to sizes with an `s`
 * in their names, such as Standard_D2s_v5.
 */
export const defaultVolumeType = "StandardSSD_LRS";

const types = [defaultVolumeType, "Premium_LRS", "Standard_LRS"];
const mostGib = 32_767;

/** The fields of a volume's spec to which the rules apply. */
interface VolumeShape {
  readonly sizeGib?: number;
  readonly region?: string;
  readonly zone?: string;
  readonly type?: string;
}

/** Returns the settings that volumes in Azure do not support. The API checks that the region has the zone. */
export const checkAzureVolume: SpecCheck = ({ spec }) => {
  const { sizeGib = 0, region = "", zone = "", type = "" } = spec as VolumeShape;
  return confirmProblems([
    [region === "", "spec.region", "is required; disks in Azure belong to a region such as westeurope"],
    [
      region !== "" && zone !== "" && !/^\d$/.test(zone.replace(`${region}-`, "")),
      "spec.zone",
      `is "${zone}"; use a zone of ${region}, such as ${region}-1 or 1`,
    ],
    [type !== "" && !types.includes(type), "spec.type", `is "${type}"; use one of ${types.join(", ")}`],
    [sizeGib > mostGib, "spec.sizeGib", `is ${sizeGib}; volumes in Azure have at most ${mostGib} GiB`],
  ]);
};
