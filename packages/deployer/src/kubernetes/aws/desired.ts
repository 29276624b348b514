import { toJson } from "@bufbuild/protobuf";
import type { TaskNodePool } from "@cloudwright/contract";
import { AwsClusterSchema, type ClusterEndpoint } from "@cloudwright/contract/gen/cloudwright/v1/cluster_pb.ts";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { NetworkFacts } from "../../find-network.ts";
import type { DeployedEntity } from "../../task.ts";
import { awsOf } from "./aws-of.ts";

/** Throws if the spec sets fields that EKS does not support. */
export function refuseForeign({ name, spec }: DeployedEntity<"Cluster">): void {
  if ((spec.networking?.podCidr ?? "") !== "") {
    throw new Fault(
      deployerFaults.bad_spec,
      `spec.networking.podCidr of ${name} is not supported: EKS pods use addresses from the network`,
    );
  }
  if (spec.controlPlaneNodes > 0) {
    throw new Fault(
      deployerFaults.bad_spec,
      `spec.controlPlaneNodes of ${name} is not supported: EKS runs the control plane itself`,
    );
  }
}

/** Throws if the spec or a pool sets a field that the configuration would silently ignore. */
export function refuseCurrent({ name, spec }: DeployedEntity<"Cluster">, pools: readonly TaskNodePool[], version: string): void {
  const field = Object.keys(toJson(AwsClusterSchema, awsOf(spec))).find((each) => currentFields.has(each));
  const inPool = pools.flatMap(({ name: pool, spec: { instanceTypes, cloud } }) => [
    ...(instanceTypes.length > 0 ? [`instanceTypes of the node pool "${pool}"`] : []),
    ...(cloud.case === "aws" && cloud.value.bottlerocketSettings !== ""
      ? [`bottlerocketSettings of the node pool "${pool}"`]
      : []),
  ]);
  const refused = field === undefined ? inPool[0] : `spec.aws.${field}`;
  if (refused === undefined) return;
  const message = `${refused} of ${name} requires a newer configuration than ${version}; set spec.infra.version to v1.1.0`;
  throw new Fault(deployerFaults.not_supported, message);
}

/** Fields of `spec.aws` that only v1.1.0 and later versions support. */
export const currentFields: ReadonlySet<string> = new Set([
  "support",
  "deletionProtection",
  "nodeVolumeKmsKeyArn",
  "permissionsBoundaryArn",
  "rolePath",
]);

/** Returns the minor version that the spec requests, or null if it requests none. EKS chooses the patch version itself. */
export function readVersion({ name, spec }: DeployedEntity<"Cluster">): string | null {
  const { version } = spec;
  if (version === "") return null;
  const minor = /^v?(?<minor>1\.\d+)(\.\d+)?$/.exec(version)?.groups?.["minor"];
  if (minor === undefined)
    throw new Fault(deployerFaults.bad_spec, `spec.version of ${name} is "${version}"; use a version such as 1.34`);
  return minor;
}

/** Chooses subnets for the control plane's network interfaces and for the workers. Private subnets are preferred over public ones. */
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
  return `${intraSubnetIds.length} intra, ${privateSubnetIds.length} private and ${publicSubnetIds.length} public subnets`;
}

/** Returns which addresses can reach the API server. */
export function readEndpoint(endpoint: ClusterEndpoint | undefined): { readonly isPublic: boolean; readonly ranges: string[] } {
  // The endpoint is public by default, so that users can reach a new cluster without additional settings.
  return { isPublic: endpoint?.public ?? true, ranges: endpoint?.publicCidrs ?? [] };
}
