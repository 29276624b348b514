import { findParent, type TaskNodePool } from "@cloudwright/contract";
import { getCloud } from "@cloudwright/contract/clouds";
import type { ClusterEndpoint } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { getNetwork } from "../../find-network.ts";
import { textOf, textsOf } from "../../read-spec.ts";
import type { DeployedEntity, JsonObject, Surroundings } from "../../task.ts";
import { gcpOf } from "./gcp-of.ts";

/** Throws if the spec sets fields that GKE does not support. */
export function refuseForeign({ name, spec }: DeployedEntity<"Cluster">, pools: readonly TaskNodePool[]): void {
  const fail = (message: string): Fault => new Fault(deployerFaults.bad_spec, message);
  for (const field of ["podCidr", "serviceCidr"] as const) {
    if ((spec.networking?.[field] ?? "") === "") continue;
    throw fail(
      `spec.networking.${field} of ${name} is not supported: GKE uses the secondary ranges of the subnet; set spec.gcp.${field} of the network`,
    );
  }
  if (spec.controlPlaneNodes > 0)
    throw fail(`spec.controlPlaneNodes of ${name} is not supported: GKE runs the control plane itself`);
  const { logTypes, monitoring } = gcpOf(spec);
  for (const [field, values] of [
    ["logTypes", logTypes],
    ["monitoring", monitoring],
  ] as const) {
    if (values.length > 0 && !values.includes("none") && !values.includes("system"))
      throw fail(`spec.gcp.${field} of ${name} must contain system, because all other values require it`);
  }
  const foreign = pools.find((pool) => pool.spec.cloud.case !== undefined && pool.spec.cloud.case !== "gcp");
  if (foreign !== undefined)
    throw fail(`spec.${foreign.spec.cloud.case ?? ""} of the node pool "${foreign.name}" of ${name} does not apply to GKE`);
}

/** Returns the minor version that the spec requests, or null if it requests none. GKE chooses the patch version itself. */
export function readVersion({ name, spec }: DeployedEntity<"Cluster">): string | null {
  const { version } = spec;
  if (version === "") return null;
  const minor = /^v?(?<minor>1\.\d+)(\.\d+)?$/.exec(version)?.groups?.["minor"];
  if (minor === undefined)
    throw new Fault(deployerFaults.bad_spec, `spec.version of ${name} is "${version}"; use a version such as 1.34`);
  return minor;
}

/** Returns which addresses can reach the API server. The API server is public by default, so that users can reach a new cluster. */
export function readEndpoint(endpoint: ClusterEndpoint | undefined): { readonly isPublic: boolean; readonly ranges: string[] } {
  return { isPublic: endpoint?.public ?? true, ranges: endpoint?.publicCidrs ?? [] };
}

/** The location of a cluster: the network with its subnet and secondary ranges, and the zones of the workers. */
export interface ClusterPlace {
  readonly region: string;
  readonly networkId: string;
  readonly subnetId: string;
  readonly podRange: string;
  readonly serviceRange: string;
  /** Zone of the control plane. Null if it runs in several zones. */
  readonly zone: string | null;
  readonly zones: readonly string[];
}

/** Returns where the cluster is built. Throws if the network was not built in Google Cloud. */
export function getPlace(entity: DeployedEntity<"Cluster">, around: Surroundings): ClusterPlace {
  const { name: network, region, networkId, privateSubnetIds } = getNetwork(entity, around);
  const outputs: JsonObject = findParent(around, "Network")?.outputs ?? {};
  const [subnetId = ""] = privateSubnetIds;
  if (networkId === "" || subnetId === "")
    throw new Fault(deployerFaults.bad_spec, `${entity.name} needs a network with a subnet; "${network}" has none`);
  const { zone } = gcpOf(entity.spec);
  return {
    region,
    networkId,
    subnetId,
    podRange: textOf(outputs["pod_range_name"]) || "pods",
    serviceRange: textOf(outputs["service_range_name"]) || "services",
    zone: zone === "" ? null : toZone(zone, region, `spec.gcp.zone of ${entity.name}`),
    zones: textsOf(outputs["zones"]).toSorted(),
  };
}

/** Returns the full name of a zone. Throws if it is not in the region. */
export function toZone(zone: string, region: string, field: string): string {
  const full = getCloud("gcp").regions.renderZone(region, zone);
  if (/^[a-z]$/.test(full.replace(`${region}-`, ""))) return full;
  throw new Fault(deployerFaults.bad_spec, `${field}: the zone "${full}" is not in ${region}`);
}
