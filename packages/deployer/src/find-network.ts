import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "./faults.ts";
import { textOf, textsOf } from "./read-spec.ts";
import type { DeployedEntity, Surroundings } from "./task.ts";

/** What an entity needs to know of the network that it lies in. */
export interface NetworkFacts {
  readonly name: string;
  readonly region: string;
  /** What the cloud calls it; empty where nobody has said. */
  readonly vpcId: string;
  readonly publicSubnetIds: readonly string[];
  readonly privateSubnetIds: readonly string[];
  readonly intraSubnetIds: readonly string[];
}

/** The network above an entity, with what its own apply produced; an entity without one cannot be built. */
export function getNetwork({ kind, name }: DeployedEntity, { parents }: Surroundings): NetworkFacts {
  const network = parents.find((parent) => parent.kind === "Network");
  if (network === undefined) throw new Fault(deployerFaults.bad_spec, `${kind} "${name}" lies in no network`);
  const { spec, outputs } = network;
  const region = textOf(spec["region"]);
  if (!/^[a-z]{2}(-[a-z]+)+-\d+$/.test(region)) {
    const message = `spec.region of the network "${network.name}" is "${region}", not one such as eu-west-1`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  return {
    name: network.name,
    region,
    vpcId: textOf(outputs["network_id"]),
    publicSubnetIds: textsOf(outputs["public_subnet_ids"]),
    privateSubnetIds: textsOf(outputs["private_subnet_ids"]),
    intraSubnetIds: textsOf(outputs["intra_subnet_ids"]),
  };
}
