import { cloudNames, getCloud, type CloudName } from "@cloudwright/contract/clouds";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../faults.ts";

/** Throws if a bucket has settings for another cloud, which would have no effect. */
export function refuseOtherClouds(cloud: CloudName, name: string, bucket: object): void {
  const settings = new Map<string, unknown>(Object.entries(bucket));
  const other = cloudNames.find((each) => each !== cloud && settings.get(each) !== undefined);
  if (other === undefined) return;
  const [here, there] = [getCloud(cloud).title, getCloud(other).title];
  const message = `spec.bucket.${other} of ${name} applies only to ${there}, but the bucket is in ${here}; remove these settings`;
  throw new Fault(deployerFaults.bad_spec, message);
}
