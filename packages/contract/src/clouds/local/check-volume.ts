import { confirmProblems, type SpecCheck } from "../spec-checks.ts";

/** The fields of a volume's spec to which the rules apply. */
interface VolumeShape {
  readonly region?: string;
  readonly zone?: string;
  readonly type?: string;
}

/** Returns the settings that volumes on the user's own machines do not have. */
export const checkLocalVolume: SpecCheck = ({ spec }) => {
  const { region = "", zone = "", type = "" } = spec as VolumeShape;
  return confirmProblems([
    [region !== "", "spec.region", "must be empty; your own machines have no regions"],
    [zone !== "", "spec.zone", "must be empty; your own machines have no zones"],
    [type !== "", "spec.type", "must be empty; volumes on your own machines have a single type"],
  ]);
};
