import { findTagProblem, renderTags as renderLabels, type CloudName } from "@cloudwright/contract/clouds";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "./faults.ts";
import type { DeployedEntity } from "./task.ts";

/**
 * Renders an entity's labels as cloud tags. Leaves out reserved labels, such as `kubernetes.io/...`, because other programs may delete
 * resources that carry such tags. Label keys never contain a colon, so labels never collide with the ownership tags `cloudwright:...`.
 */
export function renderTags(cloud: CloudName, { name, labels }: Pick<DeployedEntity, "name" | "labels">): Record<string, string> {
  const problem = findTagProblem(cloud, labels);
  if (problem !== undefined) throw new Fault(deployerFaults.bad_spec, `metadata.labels of ${name} ${problem}`);
  return renderLabels(cloud, labels);
}
