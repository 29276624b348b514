import type { CloudFacts } from "@cloudwright/contract/clouds";

type InstanceRules = CloudFacts["instances"];
type InstanceInput = Parameters<NonNullable<InstanceRules>["listProblems"]>[0];

/** Returns whether instances in a cloud can have a setting. `spec` contains the setting, and `field` is the path of its field. */
export function canSet(rules: InstanceRules, spec: InstanceInput, field: string): boolean {
  return rules?.listProblems(spec).every((problem) => problem.field !== field) ?? true;
}
