import { confirmProblems, type SpecCheck } from "../spec-checks.ts";
import { volumeTypes } from "./storages.ts";

/** Type of volumes whose spec does not name one. */
export const defaultVolumeType = "pd-balanced";

/** The fields of a volume's spec to which the rules apply. */
interface VolumeShape {
  readonly sizeGib?: number;
  readonly region?: string;
  readonly zone?: string;
  readonly type?: string;
}

/** Returns the settings that volumes in Google Cloud do not support. */
export const checkGcpVolume: SpecCheck = ({ spec }) => {
  const { sizeGib = 0, region = "", zone = "", type = "" } = spec as VolumeShape;
  const chosen = type || defaultVolumeType;
  const limits = Object.hasOwn(volumeTypes, chosen) ? volumeTypes[chosen] : undefined;
  const [least, most] = limits?.sizeGib ?? [0, Number.POSITIVE_INFINITY];
  return confirmProblems([
    [region === "", "spec.region", "is required; disks in Google Cloud belong to a region such as europe-west1"],
    [
      region !== "" && zone !== "" && !/^[a-z]$/.test(zone.replace(`${region}-`, "")),
      "spec.zone",
      `is "${zone}"; use a zone of ${region}, such as ${region}-b or b`,
    ],
    [limits === undefined, "spec.type", `is "${type}"; use one of ${Object.keys(volumeTypes).join(", ")}`],
    [
      limits !== undefined && (sizeGib < least || sizeGib > most),
      "spec.sizeGib",
      `is ${sizeGib}; ${chosen} volumes have ${least} to ${most} GiB`,
    ],
  ]);
};
