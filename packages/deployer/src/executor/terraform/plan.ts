import { getValue, parseState } from "@cloudwright/terraform";
import type { DeployerTask } from "../../task.ts";
import type { ExecutorPlan } from "../executor-plan.ts";
import type { Run } from "./run.ts";
import { packPlan } from "./parcel.ts";

/** Plans the configuration against the cloud and the entity's state. */
export async function planStack(task: DeployerTask, run: Run): Promise<ExecutorPlan> {
  const { terraform } = run;
  // The state is read first. If somebody writes it before Terraform plans, the plan is stale and will be rejected and made again.
  const text = run.isExternal ? undefined : await run.readState();
  const { serial, lineage } = text === undefined ? { serial: 0, lineage: "" } : parseState(text);
  task.progress(10, "planning");
  const { id } = getValue(await terraform.plan());
  const { changes, drift, dependencies } = getValue(await terraform.showPlan(id));
  return { changes, drift, dependencies, base: { serial, lineage }, digest: id, save: () => packPlan(terraform, id) };
}
