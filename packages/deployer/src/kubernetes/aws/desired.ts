import type { ClusterEndpoint } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { NetworkFacts } from "../../find-network.ts";
import type { DeployedEntity } from "../../task.ts";

/** Throws if the spec has fields that EKS does not support. */
export function refuseForeign({ name, spec }: DeployedEntity<"Cluster">): void {
  if ((spec.networking?.podCidr ?? "") !== "") {
    throw new Fault(deployerFaults.bad_spec, `spec.networking.podCidr of ${name}: pods of EKS have addresses of the network`);
  }
  if (spec.controlPlaneNodes > 0) {
    throw new Fault(deployerFaults.bad_spec, `spec.controlPlaneNodes of ${name}: EKS runs the control plane itself`);
  }
}

/** Returns the minor version of the spec, or null if it names none. EKS has minor versions only and chooses patches itself. */
export function readVersion({ name, spec }: DeployedEntity<"Cluster">): string | null {
  const { version } = spec;
  if (version === "") return null;
  const minor = /^v?(?<minor>1\.\d+)(\.\d+)?$/.exec(version)?.groups?.["minor"];
  if (minor === undefined)
    throw new Fault(deployerFaults.bad_spec, `spec.version of ${name} is "${version}", not one such as 1.34`);
  return minor;
}

/** Chooses the subnets for the control plane's interfaces and for the workers. */
export function chooseSubnets(
  { name }: DeployedEntity<"Cluster">,
  network: NetworkFacts,
): { readonly controlPlane: readonly string[]; readonly workers: readonly string[] } {
  const { intraSubnetIds, privateSubnetIds, publicSubnetIds } = network;
  const controlPlane = [intraSubnetIds, privateSubnetIds, publicSubnetIds].find((ids) => ids.length >= 2);
  const workers = [privateSubnetIds, publicSubnetIds].find((ids) => ids.length > 0);
  if (controlPlane === undefined || workers === undefined) {
    const message = `${name} needs a network with subnets in at least two zones; "${network.name}" has ${describeCounts(network)}`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  return { controlPlane, workers };
}

function describeCounts({ intraSubnetIds, privateSubnetIds, publicSubnetIds }: NetworkFacts): string {
  return `${intraSubnetIds.length} intra, ${privateSubnetIds.length} private and ${publicSubnetIds.length} public ones`;
}

/** Returns who can reach the API server. */
export function readEndpoint(endpoint: ClusterEndpoint | undefined): { readonly isPublic: boolean; readonly ranges: string[] } {
  // The endpoint is public by default, so that users can reach a cluster without further settings.
  return { isPublic: endpoint?.public ?? true, ranges: endpoint?.publicCidrs ?? [] };
}
