import { dropIgnoredChanges, getValue, parseState, type ResourceImport } from "@cloudwright/terraform";
import type { DeployerTask } from "../../task.ts";
import type { ExecutorPlan } from "../executor-plan.ts";
import { recoverFromPlan } from "./adopt.ts";
import type { Run } from "./run.ts";
import { packPlan } from "./parcel.ts";
import { replacesProtected } from "./replace-protected.ts";
import type { Subject } from "./subject.ts";

/**
 * Plans the configuration against the cloud and the entity's state. The same plan imports the resources in `imports` and creates the
 * missing ones, so nothing is ever evaluated against a state that contains only some of the resources.
 */
export async function planStack(
  task: DeployerTask,
  subject: Pick<Subject, "stack" | "configuration" | "settings" | "upgradedFrom">,
  run: Run,
  imports: readonly ResourceImport[],
  destroysFirst = false,
): Promise<ExecutorPlan> {
  const { terraform } = run;
  // The state is read first. If it changes before Terraform plans, the plan is stale. Apply rejects a stale plan, and a new plan is made.
  const text = run.isExternal ? undefined : await run.readState();
  const { serial, lineage } = text === undefined ? { serial: 0, lineage: "" } : parseState(text);
  task.progress(10, "planning");
  const planned = await terraform.plan({ imports, destroysFirst });
  if (planned.outcome !== "done")
    return planStack(task, subject, run, await recoverFromPlan(task, run, imports, planned), destroysFirst);
  const { id } = planned.value;
  const { changes, drift, dependencies } = getValue(await terraform.showPlan(id));
  if (!destroysFirst && replacesProtected(subject.stack, changes, text)) return planStack(task, subject, run, imports, true);
  return {
    changes,
    drift: dropIgnoredChanges(drift, [...subject.configuration.notDrift, ...subject.settings.ignore]),
    dependencies,
    base: { serial, lineage },
    ...(subject.upgradedFrom === undefined ? {} : { upgradedFrom: subject.upgradedFrom }),
    digest: id,
    save: () => packPlan(terraform, id),
  };
}
