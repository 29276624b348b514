import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../faults.ts";
import { textOf } from "../read-spec.ts";
import type { DeployedEntity, Surroundings } from "../task.ts";

/** Returns the cloud's id of the instance that a volume is attached to. Empty if the volume is detached. */
export function findInstanceId({ name, spec }: DeployedEntity<"Volume">, { references }: Surroundings): string {
  if (spec.instance === "") return "";
  const instance = references.find(({ field }) => field === "instance");
  const id = textOf(instance?.outputs["instance_id"]);
  if (id !== "") return id;
  throw new Fault(deployerFaults.bad_spec, `the instance "${spec.instance}" of ${name} has not been built yet`);
}
