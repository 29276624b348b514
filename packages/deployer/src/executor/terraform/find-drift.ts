import { dropIgnoredChanges, getValue } from "@cloudwright/terraform";
import type { DeployerTask } from "../../task.ts";
import { describeDrift, type Drift } from "../describe-drift.ts";
import type { Run } from "./run.ts";
import type { Subject } from "./subject.ts";

/** Detects drift with a refresh-only plan, which is never applied. */
export async function findStackDrift(
  task: DeployerTask,
  { settings, configuration, stack }: Subject,
  { terraform }: Run,
): Promise<Drift> {
  task.progress(10, "refreshing");
  const planned = await terraform.plan({ mode: "refresh" });
  const { id } = getValue(planned);
  // Only the plan itself contains the changed attributes. Reading the plan is slow, so it is read only if something has drifted.
  const { drift: found } = planned.report.drift.length === 0 ? { drift: [] } : getValue(await terraform.showPlan(id));
  const drift = dropIgnoredChanges(found, configuration.notDrift).map((change) => ({
    ...change,
    changedPaths: change.changedPaths.filter(({ path }) => stack.isChangedByOthers?.(change, path, task.payload) !== true),
  }));
  const isNumbered = drift.some(({ changedPaths }) => changedPaths.some(({ path }) => path.some(Number.isInteger)));
  const schemas = isNumbered ? getValue(await terraform.readSchemas()) : undefined;
  return describeDrift(drift, settings.ignore, schemas);
}
