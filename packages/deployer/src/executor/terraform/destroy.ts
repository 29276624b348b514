import { Fault } from "@cloudwright/platform";
import { getValue, parseState } from "@cloudwright/terraform";
import type { DeployerTask } from "../../task.ts";
import { adoptOwned } from "./adopt.ts";
import type { Run } from "./run.ts";
import { settle } from "./state-rescue.ts";
import type { Subject } from "./subject.ts";

/** Removes all resources in the state, and those that an interrupted run created without saving the state. */
export async function destroyStack(task: DeployerTask, { stack }: Subject, run: Run): Promise<void> {
  const { terraform } = run;
  const prepared = await stack.prepareRemoval?.(task.payload.entity, task.payload.outputs, run.cloud);
  await adoptOwned(task, stack, run);
  // With nothing but data sources left, a plan could only fail because the data no longer exists.
  const state = await run.readState();
  if (state !== undefined && parseState(state).resources.every(({ mode }) => mode === "data")) return;
  if (prepared?.applyFirst === true) {
    const first = getValue(await terraform.plan());
    if (first.hasChanges !== false) await settle(task, run, await terraform.apply(first.id));
  }
  task.progress(10, "planning");
  const { id, hasChanges } = getValue(await terraform.plan({ mode: "destroy" }));
  if (hasChanges === false) return;
  try {
    await settle(task, run, await terraform.apply(id));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw (await stack.explainRemovalFailure?.(error, run.cloud)) ?? error;
  }
}
