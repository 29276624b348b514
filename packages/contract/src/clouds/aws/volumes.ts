import { confirmProblems, type SpecCheck } from "../spec-checks.ts";
import { awsVolumeTypes } from "./storages.ts";

/** The fields of a volume's spec to which the rules apply. */
interface VolumeShape {
  readonly region?: string;
  readonly type?: string;
  readonly sizeGib?: number;
}

/** Types that need no further settings, such as IOPS. */
const types = Object.entries(awsVolumeTypes).filter(([, { needsIops }]) => needsIops !== true);
const defaultType = "gp3";

/** Returns the settings of a volume for instances that EBS does not accept. */
export const checkAwsVolume: SpecCheck = ({ spec }) => {
  const { region = "", sizeGib = 0, type: given = "" } = spec as VolumeShape;
  const type = given || defaultType;
  const limits = types.find(([name]) => name === type)?.[1];
  const [least, most] = limits?.sizeGib ?? [0, Number.POSITIVE_INFINITY];
  return confirmProblems([
    [region === "", "spec.region", "is required; use the region of the instances, such as eu-west-1"],
    [limits === undefined, "spec.type", `is "${type}"; use one of ${types.map(([name]) => name).join(", ")}`],
    [sizeGib < least || sizeGib > most, "spec.sizeGib", `is ${sizeGib}; ${type} volumes have ${least} to ${most} GiB`],
  ]);
};
