import { Fault } from "@cloudwright/platform";
import {
  describeDiagnostic,
  getValue,
  terraformFaults,
  type ApplyResult,
  type CommandOutcome,
  type ResourceChange,
} from "@cloudwright/terraform";
import type { Stack } from "../../stack.ts";
import type { DeployerTask } from "../../task.ts";
import { judgeFailures, type PoolFailure, type PoolProblem } from "../pool-problem.ts";
import { explainRefusal } from "./explain-refusal.ts";
import type { Run } from "./run.ts";
import { settle } from "./state-rescue.ts";

/**
 * Returns the node pools that an apply could not build, if only these changes failed. Returns undefined if the apply failed for any other
 * reason. Throws if a repeated run may succeed.
 */
export function findPoolProblems(
  task: DeployerTask,
  stack: Stack,
  outcome: CommandOutcome<ApplyResult>,
): readonly PoolProblem[] | undefined {
  if (outcome.outcome !== "failed" || outcome.erroredState !== undefined) return undefined;
  // The outputs of a new cluster are complete only if all of its pools were built.
  if (Object.keys(task.payload.outputs).length === 0) return undefined;
  const failures = outcome.report.diagnostics
    .filter(({ severity }) => severity === "error")
    .map((diagnostic): PoolFailure | undefined => {
      const pool = diagnostic.address === undefined ? undefined : stack.poolOf?.(diagnostic.address);
      if (pool === undefined) return undefined;
      return { pool, error: explainRefusal(new Fault(terraformFaults.failed, describeDiagnostic(diagnostic))) };
    });
  const known = failures.filter((failure) => failure !== undefined);
  return known.length === 0 || known.length < failures.length ? undefined : judgeFailures(task, known);
}

/**
 * Deletes what is left of deleted pools, and returns whether then all changes are made except those of the failed pools. Terraform does not
 * report what it skipped because of a failed resource. It also keeps a resource with `create_before_destroy` until all resources that could
 * replace its users exist, for example the launch template of a deleted pool. The plan that was approved deletes the pool as a whole.
 */
export async function settleRest(task: DeployerTask, run: Run, stack: Stack, problems: readonly PoolProblem[]): Promise<boolean> {
  const failed = new Set(problems.map(({ pool }) => pool));
  const { terraform } = run;
  const desired = new Set(task.payload.nodePools.map(({ name }) => name));
  const list = async (): Promise<readonly OpenChange[]> => {
    const { changes } = getValue(await terraform.showPlan(getValue(await terraform.plan()).id));
    return changes
      .filter(({ mode, action }) => mode === "managed" && action !== "none")
      .map(({ address, action }) => ({ address, action, pool: stack.poolOf?.(address) ?? "" }))
      .filter(({ pool }) => !failed.has(pool));
  };
  const open = await list();
  if (open.length === 0) return true;
  if (!open.every(({ action, pool }) => action === "delete" && pool !== "" && !desired.has(pool))) return false;
  const target = open.map(({ address }) => address);
  await settle(task, run, await terraform.apply(getValue(await terraform.plan({ target })).id));
  return (await list()).length === 0;
}

type OpenChange = Pick<ResourceChange, "address" | "action"> & { readonly pool: string };

/** Computes the outputs from the resources that exist. Outputs that depend on a failed resource still have their former values. */
export async function refreshOutputs(task: DeployerTask, run: Run): Promise<void> {
  await settle(task, run, await run.terraform.apply(getValue(await run.terraform.plan({ mode: "refresh" })).id));
}
