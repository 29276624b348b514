import type { FieldViolation } from "@cloudwright/platform";
import type { NetworkSpec } from "../../../gen/cloudwright/v1/network_pb.ts";
import { planRanges } from "./network-ranges.ts";

/** Returns a violation for each setting that networks in Google Cloud do not support. */
export function checkNetwork(spec: NetworkSpec): readonly FieldViolation[] {
  const { cloud, existing, nat } = spec;
  if (cloud.case !== "gcp") return [];
  if (existing !== undefined) {
    const unused = (["publicSubnetIds", "controlPlaneSubnetIds"] as const).filter((field) => existing[field].length > 0);
    const wrong = unused.map((field) => ({
      field: `spec.existing.${field}`,
      message: "must be empty: a network in Google Cloud has one subnet; set it in privateSubnetIds",
    }));
    if (existing.privateSubnetIds.length === 1) return wrong;
    return [
      ...wrong,
      { field: "spec.existing.privateSubnetIds", message: "must contain exactly one subnet, the one for machines" },
    ];
  }
  const planned = planRanges(spec, cloud.value);
  const hasNat = nat !== "" && nat !== "none";
  const natIps =
    cloud.value.natIps > 0 && !hasNat
      ? [{ field: "spec.gcp.natIps", message: `is ${cloud.value.natIps}, but the network has no NAT; set spec.nat to single` }]
      : [];
  return "message" in planned ? [planned, ...natIps] : natIps;
}
