import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../faults.ts";
import { textOf } from "../read-spec.ts";
import type { DeployedEntity, Surroundings } from "../task.ts";

/** Returns the cloud's ids of an instance's security groups, in alphabetical order. Throws if a group has not been built yet. */
export function listGroupIds({ name }: DeployedEntity<"Instance">, { references }: Surroundings): string[] {
  const groups = references.filter(({ field }) => field === "securityGroups");
  const missing = groups.find(({ outputs }) => textOf(outputs["group_id"]) === "");
  if (missing === undefined) return groups.map(({ outputs }) => textOf(outputs["group_id"])).toSorted();
  throw new Fault(deployerFaults.bad_spec, `the security group "${missing.name}" of ${name} has not been built yet`);
}
