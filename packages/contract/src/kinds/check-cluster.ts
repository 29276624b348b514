import type { FieldViolation } from "@cloudwright/platform";
import type { Cluster, ClusterSpec } from "../../gen/cloudwright/v1/cluster_pb.ts";
import { overlaps, parseRange } from "../cidr.ts";
import { checkUpgradeGates } from "./check-upgrade-gates.ts";
import { defaultPodCidr, defaultServiceCidr } from "./cluster.ts";

/**
 * Rejects overlapping pod and service ranges, invalid upgrade gates, and fields that do not apply to a cluster that the platform did not
 * create.
 */
export function checkCluster({ spec }: Cluster): FieldViolation[] {
  if (spec === undefined) return [];
  if (spec.existing !== undefined) return checkExisting(spec);
  return [
    ...(spec.network === "" ? [{ field: "spec.network", message: "is required, unless existing is set" }] : []),
    ...checkRanges(spec),
    ...checkUpgradeGates(spec.upgrade?.gates ?? []),
  ];
}

function checkRanges({ networking }: ClusterSpec): FieldViolation[] {
  if (networking === undefined) return [];
  const podText = networking.podCidr || defaultPodCidr;
  const serviceText = networking.serviceCidr || defaultServiceCidr;
  const pod = parseRange(podText);
  const service = parseRange(serviceText);
  if (pod === undefined || service === undefined || !overlaps(pod, service)) return [];
  return [{ field: "spec.networking", message: `pod range ${podText} overlaps service range ${serviceText}` }];
}

/** Fields that describe how the platform builds a cluster. */
const building = [
  "network",
  "workers",
  "instanceType",
  "endpoint",
  "networking",
  "addOns",
  "controlPlaneNodes",
  "claimVolumes",
  "provisioner",
  "upgrade",
] as const satisfies readonly (keyof ClusterSpec)[];

function checkExisting(spec: ClusterSpec): FieldViolation[] {
  const isSet = (value: unknown): boolean =>
    Array.isArray(value) ? value.length > 0 : value !== undefined && value !== "" && value !== 0;
  const unfit = building.filter((field) => isSet(spec[field]));
  const { version: infraVersion = "", overrides, backend } = spec.infra ?? {};
  const terraform = infraVersion !== "" || overrides !== undefined || backend !== undefined;
  return [
    ...unfit.map((field) => ({
      field: `spec.${field}`,
      message: "does not apply to a cluster that the platform did not create",
    })),
    ...(terraform
      ? [{ field: "spec.infra", message: "must not set version, overrides or backend; they apply to Terraform only" }]
      : []),
    ...(spec.infra?.drift === "correct" && spec.existing?.mode !== "manage"
      ? [{ field: "spec.infra.drift", message: "must not be set to correct while the cluster is only observed" }]
      : []),
    ...(spec.version !== "" && spec.existing?.mode !== "manage"
      ? [{ field: "spec.version", message: "must be empty while the cluster is only observed; run `cloud k8s manage` first" }]
      : []),
  ];
}
