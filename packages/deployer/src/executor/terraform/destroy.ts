import { Fault } from "@cloudwright/platform";
import { getValue, parseState, type ResourceImport } from "@cloudwright/terraform";
import type { Stack } from "../../stack.ts";
import type { DeployerTask } from "../../task.ts";
import { findLost, importForRemoval } from "./adopt.ts";
import { explainBlockedRemoval } from "./explain-blocked-removal.ts";
import type { Run } from "./run.ts";
import { settle } from "./state-rescue.ts";
import type { Subject } from "./subject.ts";

/**
 * Removes all resources in the state, and those that an interrupted run created without saving the state. Then searches the account again.
 * A cloud may list a new resource only after a while, and a duplicate can be adopted only once its address is free.
 */
export async function destroyStack(task: DeployerTask, subject: Subject, run: Run): Promise<void> {
  const prepared = await subject.stack.prepareRemoval?.(task.payload.entity, task.payload.outputs, run.cloud, task.signal);
  const removed = new Set<string>();
  let { imports } = await findLost(task, subject, run, removed);
  let isOrdered = await importForRemoval(task, run, imports);
  if (prepared?.applyFirst === true && (await listManaged(run)).length > 0) {
    const first = getValue(await run.terraform.plan());
    if (first.hasChanges !== false) await settle(task, run, await run.terraform.apply(first.id));
  }
  for (;;) {
    for (const resource of await listManaged(run)) removed.add(resource);
    await forgetDependants(task, subject.stack, run);
    await destroyAll(task, subject, run, isOrdered);
    const before = renderIds(imports);
    ({ imports } = await findLost(task, subject, run, removed));
    // A cloud may keep listing deleted resources for a while. They cannot be imported, so the loop ends when the list no longer changes.
    if (imports.length === 0 || renderIds(imports) === before) return;
    isOrdered = await importForRemoval(task, run, imports);
  }
}

/** Removes the resources from the state that the cloud deletes only together with their parents. */
async function forgetDependants(task: DeployerTask, stack: Stack, run: Run): Promise<void> {
  if (stack.isDeletedWithParent === undefined) return;
  const state = await run.readState();
  const found = (state === undefined ? [] : parseState(state).resources).filter(
    ({ mode, resourceType, attributes }) =>
      mode === "managed" && stack.isDeletedWithParent?.({ resourceType, attributes: attributes.reveal() }) === true,
  );
  if (found.length === 0) return;
  const addresses = new Set(found.map(({ address }) => address));
  for (const address of addresses) task.log(`${address}: is deleted together with its parent`);
  await settle(task, run, await run.terraform.removeFromState([...addresses]));
}

function renderIds(imports: readonly ResourceImport[]): string {
  const ids = imports.map(({ id }) => id);
  return ids.toSorted().join("\n");
}

/** If the order of deletion is unknown, the cloud rejects some deletions, so the removal is repeated as long as it makes progress. */
async function destroyAll(task: DeployerTask, subject: Subject, run: Run, isOrdered: boolean): Promise<void> {
  for (let before = (await listManaged(run)).length; before > 0;) {
    try {
      return await destroyState(task, subject.stack, run);
    } catch (error) {
      const left = (await listManaged(run)).length;
      if (isOrdered || task.signal.aborted || left >= before)
        throw (await explainBlockedRemoval(error, task, subject, run)) ?? error;
      before = left;
    }
  }
}

async function destroyState(task: DeployerTask, stack: Stack, run: Run): Promise<void> {
  await stack.releaseForRemoval?.(task.payload.entity, task.payload.outputs, run.cloud);
  task.progress(10, "planning");
  const { id, hasChanges } = getValue(await run.terraform.plan({ mode: "destroy" }));
  if (hasChanges === false) return;
  try {
    await settle(task, run, await run.terraform.apply(id));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw (await stack.explainRemovalFailure?.(error, run.cloud, task.payload.entity, task.payload.outputs)) ?? error;
  }
}

/**
 * Returns the type and ID of each resource in the state. Ignores data sources. If only data sources remain, a plan would fail, because the
 * data that they read no longer exists.
 */
async function listManaged(run: Run): Promise<string[]> {
  const state = await run.readState();
  const resources = state === undefined ? [] : parseState(state).resources.filter(({ mode }) => mode !== "data");
  return resources.map(({ resourceType, id }) => `${resourceType} ${id}`);
}
