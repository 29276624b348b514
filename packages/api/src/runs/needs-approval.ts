import type { JsonObject } from "@cloudwright/contract";
import type { JudgedFinding } from "../entities/judge.ts";
import { textAt } from "../entities/json-tree.ts";
import type { SentPlan } from "./parse-plan.ts";

/**
 * Returns whether a person must approve a plan before it is applied. Approval is required if a policy denies the plan or if the entity
 * requires approval for every change. The built-in policies deny plans that replace or delete resources that hold data or serve traffic,
 * unless the request permits this.
 */
export function needsApproval(
  spec: JsonObject,
  { counts }: Pick<SentPlan, "counts">,
  findings: readonly JudgedFinding[],
): boolean {
  if (findings.some(({ severity }) => severity === "must")) return true;
  const changesSomething = Object.entries(counts).some(
    ([name, count]) => count !== 0 && !["drifted", "overwritten", "kept"].includes(name),
  );
  return textAt(spec, "infra", "approval") === "always" && changesSomething;
}
