import { getValue, parseState, type TerraformOutputs } from "@cloudwright/terraform";
import type { Stack } from "../../stack.ts";
import type { DeployerTask } from "../../task.ts";
import type { ExecutorOutputs } from "../executor.ts";
import { readStatus } from "./guard-stack.ts";
import type { Run } from "./run.ts";
import { unpackPlan } from "./parcel.ts";
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
  await settle(task, run, await run.terraform.apply(planId));
  const status = readStatus(stack, await readOutputs(run));
  const lockFile = await run.terraform.readLockFile();
  return { status, version: configuration.version, ...(lockFile === undefined ? {} : { lockFile }) };
}

/** Turns off the protection of resources that the plan deletes or replaces. Their replacements are protected again. */
async function releaseReplaced({ payload }: DeployerTask, stack: Stack, run: Run, planId: string): Promise<void> {
  const types = stack.protectedTypes ?? [];
  if (types.length === 0 || stack.releaseForRemoval === undefined) return;
  const { changes } = getValue(await run.terraform.showPlan(planId));
  const isRemoved = changes.some(
    ({ resourceType, action }) => types.includes(resourceType) && (action === "delete" || action === "replace"),
  );
  if (isRemoved) await stack.releaseForRemoval(payload.entity, payload.outputs, run.cloud);
}

/** Reads the outputs from the saved state. Terraform has to run only if an external backend stores the state. */
async function readOutputs(run: Run): Promise<TerraformOutputs> {
  const text = run.isExternal ? undefined : await run.readState();
  return text === undefined ? getValue(await run.terraform.output()) : parseState(text).outputs;
}
