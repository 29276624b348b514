import { Fault } from "@cloudwright/platform";
import { getValue, parseState, type ResourceImport } from "@cloudwright/terraform";
import type { Stack } from "../../stack.ts";
import type { DeployerTask } from "../../task.ts";
import { findLost, importForRemoval } from "./adopt.ts";
import type { Run } from "./run.ts";
import { settle } from "./state-rescue.ts";
import type { Subject } from "./subject.ts";

/** Removes all resources in the state, and those that an interrupted run created without saving the state. */
export async function destroyStack(task: DeployerTask, subject: Subject, run: Run): Promise<void> {
  const { stack } = subject;
  const prepared = await stack.prepareRemoval?.(task.payload.entity, task.payload.outputs, run.cloud);
  let lost = await findLost(task, subject, run);
  let isOrdered = await importForRemoval(task, run, lost.imports);
  if (prepared?.applyFirst === true && (await countManaged(run)) > 0) {
    const first = getValue(await run.terraform.plan());
    if (first.hasChanges !== false) await settle(task, run, await run.terraform.apply(first.id));
  }
  await destroyAll(task, stack, run, isOrdered);
  // A duplicate can be adopted as soon as its address is free.
  while (lost.duplicates.length > 0) {
    const before = renderIds(lost.imports);
    lost = await findLost(task, subject, run);
    // A cloud may keep listing deleted resources for a while. They cannot be imported, so the loop ends when the list no longer changes.
    if (lost.imports.length === 0 || renderIds(lost.imports) === before) return;
    isOrdered = await importForRemoval(task, run, lost.imports);
    await destroyAll(task, stack, run, isOrdered);
  }
}

function renderIds(imports: readonly ResourceImport[]): string {
  const ids = imports.map(({ id }) => id);
  return ids.toSorted().join("\n");
}

/** If the order of deletion is unknown, the cloud rejects some deletions, so the removal is repeated as long as it makes progress. */
async function destroyAll(task: DeployerTask, stack: Stack, run: Run, isOrdered: boolean): Promise<void> {
  for (let before = await countManaged(run); before > 0;) {
    try {
      return await destroyState(task, stack, run);
    } catch (error) {
      const left = await countManaged(run);
      if (isOrdered || task.signal.aborted || left >= before) throw error;
      before = left;
    }
  }
}

async function destroyState(task: DeployerTask, stack: Stack, run: Run): Promise<void> {
  task.progress(10, "planning");
  const { id, hasChanges } = getValue(await run.terraform.plan({ mode: "destroy" }));
  if (hasChanges === false) return;
  try {
    await settle(task, run, await run.terraform.apply(id));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw (await stack.explainRemovalFailure?.(error, run.cloud)) ?? error;
  }
}

// Counts the resources in the state, except data sources. If only data sources are left, a plan would fail, because the data that they read
// no longer exists.
async function countManaged(run: Run): Promise<number> {
  const state = await run.readState();
  return state === undefined ? 0 : parseState(state).resources.filter(({ mode }) => mode !== "data").length;
}
