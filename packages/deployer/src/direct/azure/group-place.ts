import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { getNetwork } from "../../find-network.ts";
import { objectOf, textOf } from "../../read-spec.ts";
import type { DeployedAccount, DeployedEntity, JsonObject, Surroundings } from "../../task.ts";

/** Location of a network's security groups and of the network security group that they share. */
export interface GroupPlace {
  readonly resourceGroup: string;
  readonly region: string;
  readonly sharedName: string;
}

/**
 * Returns the place of a network's security groups: the network's own resource group, or for an existing network the account's group, if
 * it has one. A group that was built stays where it is.
 */
export function findGroupPlace(
  entity: DeployedEntity<"SecurityGroup">,
  { spec: { azure } }: Pick<DeployedAccount, "spec">,
  around: Surroundings,
  { uid, isExisting }: { readonly uid: string; readonly isExisting: boolean },
): GroupPlace {
  const { name, region, networkId } = getNetwork(entity, around);
  const own = groupOf(networkId);
  if (own === "") throw new Fault(deployerFaults.bad_spec, `the network "${name}" of ${entity.name} has not been built yet`);
  const resourceGroup = findBuiltGroup(around.outputs) || (isExisting ? textOf(objectOf(azure)["resourceGroup"]) : "") || own;
  return { resourceGroup, region, sharedName: `cloudwright-${uid}` };
}

function findBuiltGroup(outputs: JsonObject): string {
  return groupOf(textOf(outputs["network_security_group_id"]));
}

function groupOf(id: string): string {
  return /\/resourceGroups\/([^/]+)\//i.exec(id)?.[1] ?? "";
}
