import { findParent } from "@cloudwright/contract";
import { defaultCloud, findCloud } from "@cloudwright/contract/clouds";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "./faults.ts";
import { textOf, textsOf } from "./read-spec.ts";
import type { DeployedEntity, Surroundings } from "./task.ts";

/** What an entity needs to know of its network. */
export interface NetworkFacts {
  readonly name: string;
  readonly region: string;
  /** The cloud's id of the network. Empty if its last apply did not report one. */
  readonly networkId: string;
  readonly publicSubnetIds: readonly string[];
  readonly privateSubnetIds: readonly string[];
  readonly intraSubnetIds: readonly string[];
}

/** Returns an entity's network with the outputs of its last apply. Throws if the entity has no network or the network's region is invalid. */
export function getNetwork({ kind, name }: DeployedEntity, around: Surroundings): NetworkFacts {
  const network = findParent(around, "Network");
  if (network === undefined) throw new Fault(deployerFaults.bad_spec, `${kind} "${name}" has no network`);
  const { spec, outputs } = network;
  const { region } = spec;
  const cloud = findCloud(spec.cloud.case ?? defaultCloud);
  if (cloud?.regions.isName(region) !== true) {
    const example = cloud?.regions.default ?? "";
    const message = `spec.region of the network "${network.name}" is "${region}", which is not a region such as ${example}`;
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
