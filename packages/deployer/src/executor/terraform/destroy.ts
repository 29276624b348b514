import { Fault } from "@cloudwright/platform";
import { getValue, parseState } from "@cloudwright/terraform";
import type { DeployerTask, JsonObject } from "../../task.ts";
import { adoptLost } from "./adopt.ts";
import { settle, type Run, type Subject } from "./open-run.ts";

/** Removes everything that the state has, and what a run that was cut off has left. Begun again, it refreshes and goes on. */
export async function destroyStack(task: DeployerTask, { stack }: Subject, run: Run): Promise<JsonObject> {
  const { terraform } = run;
  const prepared = await stack.prepareRemoval?.(task.payload.entity, task.payload.outputs, run.cloud);
  await adoptLost(task, stack, run);
  // What is only looked at need not be there any more.
  const state = await run.readState();
  if (state !== undefined && parseState(state).resources.every(({ mode }) => mode === "data")) return {};
  if (prepared?.applyFirst === true) {
    const first = getValue(await terraform.plan());
    if (first.hasChanges !== false) await settle(task, run, await terraform.apply(first.id));
  }
  task.progress(10, "plan");
  const { id, hasChanges } = getValue(await terraform.plan({ mode: "destroy" }));
  if (hasChanges === false) return {};
  try {
    await settle(task, run, await terraform.apply(id));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw (await stack.explainRemovalFailure?.(error, run.cloud)) ?? error;
  }
  return {};
}
