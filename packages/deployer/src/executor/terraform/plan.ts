import { getValue, parseState } from "@cloudwright/terraform";
import type { DeployerTask, JsonObject } from "../../task.ts";
import { adoptLost } from "./adopt.ts";
import { describePlan } from "../describe-plan.ts";
import type { Run, Subject } from "./open-run.ts";
import { packPlan } from "./parcel.ts";
import { deliverPlan } from "../plan-endpoint.ts";

/** Takes over what an interrupted run has left, plans, and gives the plan to the control plane; nothing of it stays here. */
export async function planStack(task: DeployerTask, { stack }: Subject, run: Run): Promise<JsonObject> {
  const { terraform, door } = run;
  await adoptLost(task, stack, run);
  // Read before: when somebody writes between here and the plan, the plan is not current, and is made anew.
  const text = run.isExternal ? undefined : await run.readState();
  const { serial, lineage } = text === undefined ? { serial: 0, lineage: "" } : parseState(text);
  task.progress(10, "plan");
  const { id } = getValue(await terraform.plan());
  const described = describePlan(getValue(await terraform.showPlan(id)));
  task.progress(90, "the plan goes to the control plane");
  const parcel = await packPlan(terraform, id);
  await deliverPlan(door, task.task.uid, { ...described, serial, lineage, parcel }, task.signal);
  return { plan: task.task.uid, counts: described.counts };
}
