import { Fault } from "@cloudwright/platform";
import { getValue, type ResourceChange } from "@cloudwright/terraform";
import type { Configuration } from "../configurations.ts";
import { deployerFaults } from "../faults.ts";
import type { Stack } from "../stack.ts";
import type { DeployerTask, JsonObject } from "../task.ts";
import { adoptLost } from "./adopt.ts";
import { settle, type Run } from "./open-run.ts";

/** What a run is about. */
export interface Subject {
  readonly stack: Stack;
  readonly configuration: Configuration;
}

/** Plans, applies exactly that plan, and reads what came of it. */
export async function applyStack(task: DeployerTask, { stack, configuration }: Subject, run: Run): Promise<JsonObject> {
  const { terraform } = run;
  await adoptLost(task, stack, run);
  task.progress(10, "plan");
  const { id, hasChanges } = getValue(await terraform.plan());
  if (hasChanges !== false) {
    refusePrecious(stack, getValue(await terraform.showPlan(id)).changes);
    await settle(task, terraform, await terraform.apply(id));
  }
  const outputs = getValue(await terraform.output());
  return { ...stack.status(outputs), infra_version: configuration.version };
}

/** Removes everything that the state has, and what a run that was cut off has left. */
export async function destroyStack(task: DeployerTask, { stack }: Subject, run: Run): Promise<JsonObject> {
  const { terraform } = run;
  await adoptLost(task, stack, run);
  task.progress(10, "plan");
  const { id, hasChanges } = getValue(await terraform.plan({ mode: "destroy" }));
  if (hasChanges !== false) await settle(task, terraform, await terraform.apply(id));
  return {};
}

/** Compares the cloud with the state; nothing is changed. */
export async function checkStack(task: DeployerTask, _subject: Subject, { terraform }: Run): Promise<JsonObject> {
  task.progress(10, "refresh");
  const { id } = getValue(await terraform.plan({ mode: "refresh" }));
  const { drift } = getValue(await terraform.showPlan(id));
  const changed = drift.filter(({ action, changedPaths }) => action === "delete" || changedPaths.length > 0);
  return { drifted: changed.length > 0, summary: describeDrift(changed) };
}

/** Refuses a plan that makes anew or takes away what holds data or traffic. */
export function refusePrecious(
  stack: Pick<Stack, "isPrecious">,
  changes: readonly Pick<ResourceChange, "address" | "resourceType" | "action" | "replacePaths">[],
): void {
  const found = changes.find(
    ({ resourceType, action }) => (action === "replace" || action === "delete") && stack.isPrecious({ resourceType, action }),
  );
  if (found === undefined) return;
  const because = found.replacePaths.map((path) => path.join(".")).join(", ");
  const why = because === "" ? "" : ` because of ${because}`;
  throw new Fault(deployerFaults.would_replace, `the plan would ${found.action} ${found.address}${why}; nothing was changed`);
}

const named = 5;

/** Names what has changed outside, the first few of it. */
export function describeDrift(changes: readonly Pick<ResourceChange, "address" | "action" | "changedPaths">[]): string {
  const parts = changes.slice(0, named).map(({ address, action, changedPaths }) => {
    if (action === "delete") return `${address} is gone`;
    const paths = [...new Set(changedPaths.map(({ path }) => String(path[0])))];
    return `${address}: ${paths.join(", ")} changed`;
  });
  return [...parts, ...(changes.length > named ? [`and ${changes.length - named} more`] : [])].join("; ");
}
