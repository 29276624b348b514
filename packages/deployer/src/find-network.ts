import { findParent } from "@cloudwright/contract";
import { cloudNames, defaultCloud, findCloud, getCloud } from "@cloudwright/contract/clouds";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "./faults.ts";
import { textOf, textsOf } from "./read-spec.ts";
import type { DeployedEntity, Surroundings } from "./task.ts";

/** The facts about a network that other entities need. */
export interface NetworkFacts {
  readonly name: string;
  readonly region: string;
  /** The network's id in the cloud. Empty if the last apply did not return one. */
  readonly networkId: string;
  readonly publicSubnetIds: readonly string[];
  readonly privateSubnetIds: readonly string[];
  readonly intraSubnetIds: readonly string[];
}

/**
 * Returns facts about the entity's network, including outputs of the network's last apply. Throws if the entity has no network or the
 * network's region is invalid.
 */
export function getNetwork({ kind, name }: DeployedEntity, around: Surroundings): NetworkFacts {
  const network = findParent(around, "Network");
  if (network === undefined) throw new Fault(deployerFaults.bad_spec, `${kind} "${name}" has no network`);
  const { spec, outputs } = network;
  const { region } = spec;
  // A spec without a cloud-specific section does not say which cloud it is for.
  const clouds = spec.cloud.case === undefined ? cloudNames : [spec.cloud.case];
  if (!clouds.some((cloud) => getCloud(cloud).regions.isName(region))) {
    const example = findCloud(spec.cloud.case ?? defaultCloud)?.regions.default ?? "";
    const message = `spec.region of the network "${network.name}" is "${region}"; use a region such as ${example}`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  return {
    name: network.name,
    region,
    networkId: textOf(outputs["network_id"]),
    publicSubnetIds: textsOf(outputs["public_subnet_ids"]),
    privateSubnetIds: textsOf(outputs["private_subnet_ids"]),
    intraSubnetIds: textsOf(outputs["intra_subnet_ids"]),
  };
}
