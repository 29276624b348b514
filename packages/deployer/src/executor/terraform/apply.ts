import { getValue, parseState, type TerraformOutputs } from "@cloudwright/terraform";
import type { Stack } from "../../stack.ts";
import type { DeployerTask } from "../../task.ts";
import type { ExecutorOutputs } from "../executor.ts";
import { readStatus } from "./guard-stack.ts";
import type { Run } from "./run.ts";
import { unpackPlan } from "./parcel.ts";
import { findPoolProblems, refreshOutputs, settleRest } from "./pool-failures.ts";
import { replacesProtected } from "./replace-protected.ts";
import { settle } from "./state-rescue.ts";
import type { Subject } from "./subject.ts";

/** Applies exactly the saved plan and returns the outputs. */
export async function applyStack(
  task: DeployerTask,
  { stack, configuration }: Subject,
  opened: Run,
  takeSavedPlan: () => Promise<Buffer>,
): Promise<ExecutorOutputs> {
  const { run, planId } = await unpackPlan(opened, await takeSavedPlan());
  await releaseReplaced(task, stack, run, planId);
  const outcome = await run.terraform.apply(planId);
  const problems = findPoolProblems(task, stack, outcome);
  if (problems === undefined || !(await settleRest(task, run, stack, problems))) await settle(task, run, outcome);
  else await refreshOutputs(task, run);
  const status = readStatus(stack, await readOutputs(run));
  const lockFile = await run.terraform.readLockFile();
  return {
    status,
    version: configuration.version,
    ...(problems === undefined ? {} : { problems }),
    ...(lockFile === undefined ? {} : { lockFile }),
  };
}

/** Turns off the deletion protection of a resource that the plan replaces. The new resource is protected again. */
async function releaseReplaced({ payload }: DeployerTask, stack: Stack, run: Run, planId: string): Promise<void> {
  if (stack.protectedTypes === undefined || stack.releaseForRemoval === undefined || run.isExternal) return;
  const { changes } = getValue(await run.terraform.showPlan(planId));
  if (!replacesProtected(stack, changes, await run.readState())) return;
  await stack.releaseForRemoval(payload.entity, payload.outputs, run.cloud);
}

/** Reads the outputs from the saved state. Terraform has to run only if an external backend stores the state. */
async function readOutputs(run: Run): Promise<TerraformOutputs> {
  const text = run.isExternal ? undefined : await run.readState();
  return text === undefined ? getValue(await run.terraform.output()) : parseState(text).outputs;
}
