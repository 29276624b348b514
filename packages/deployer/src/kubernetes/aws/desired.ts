import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { NetworkFacts } from "../../find-network.ts";
import { numberOf, objectOf, textOf, textsOf } from "../../read-spec.ts";
import type { DeployedEntity, Json } from "../../task.ts";

/** Refuses what no cluster of EKS can have. */
export function refuseForeign({ name, spec }: DeployedEntity): void {
  const { podCidr } = objectOf(spec["networking"]);
  if (textOf(podCidr) !== "") {
    throw new Fault(deployerFaults.bad_spec, `spec.networking.podCidr of ${name}: pods of EKS have addresses of the network`);
  }
  if (numberOf(spec["controlPlaneNodes"]) > 0) {
    throw new Fault(deployerFaults.bad_spec, `spec.controlPlaneNodes of ${name}: EKS runs the control plane itself`);
  }
}

/** The minor version that is asked for, or none. EKS knows minor versions only; which patch a cluster runs is its own business. */
export function readVersion({ name, spec }: DeployedEntity): string | null {
  const asked = textOf(spec["version"]);
  if (asked === "") return null;
  const minor = /^v?(?<minor>1\.\d+)(\.\d+)?$/.exec(asked)?.groups?.["minor"];
  if (minor === undefined)
    throw new Fault(deployerFaults.bad_spec, `spec.version of ${name} is "${asked}", not one such as 1.34`);
  return minor;
}

/** Where the control plane's interfaces and the workers go. */
export function chooseSubnets(
  { name }: DeployedEntity,
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

/** Who can reach the API server. */
export function readEndpoint(value: Json | undefined): { readonly isPublic: boolean; readonly ranges: string[] } {
  // Without a word about it people can reach what they have made.
  if (value === undefined || value === null) return { isPublic: true, ranges: [] };
  const endpoint = objectOf(value);
  return { isPublic: endpoint["public"] === true, ranges: textsOf(endpoint["publicCidrs"]) };
}
