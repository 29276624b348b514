import { Fault } from "@cloudwright/platform";
import { getValue, parseState, type TerraformOutputs } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import { readStatus } from "./guard-stack.ts";
import type { DeployerTask, JsonObject } from "../../task.ts";
import { settle, type Run, type Subject } from "./open-run.ts";
import { unpackPlan } from "./parcel.ts";
import { takePlan } from "../plan-endpoint.ts";

/** The uid of the plan that an apply is for. */
export function requirePlan({ payload }: Pick<DeployerTask, "payload">): string {
  if (typeof payload.plan === "string" && payload.plan !== "") return payload.plan;
  throw new Fault(deployerFaults.no_plan, `an apply of ${payload.entity.name} names no plan`);
}

/**
 * Applies exactly the plan that the task names, and reads what came of it. The plan is taken as late as can be, and only once: whatever happens
 * afterwards, it is never begun again.
 */
export async function applyStack(task: DeployerTask, { stack, configuration }: Subject, opened: Run): Promise<JsonObject> {
  task.progress(8, "the plan comes from the control plane");
  const parcel = await takePlan(opened.door, requirePlan(task), task.signal);
  const { run, planId } = await unpackPlan(opened, parcel);
  await settle(task, run, await run.terraform.apply(planId));
  const outputs = await readOutputs(run);
  const lockFile = await run.terraform.readLockFile();
  return {
    ...readStatus(stack, outputs),
    infra_version: configuration.version,
    ...(lockFile === undefined ? {} : { lock_file: lockFile }),
  };
}

/** They stand in the state that was just saved; where that is elsewhere, Terraform is asked. */
async function readOutputs(run: Run): Promise<TerraformOutputs> {
  const text = run.isExternal ? undefined : await run.readState();
  return text === undefined ? getValue(await run.terraform.output()) : parseState(text).outputs;
}
