import { getValue } from "@cloudwright/terraform";
import { previewAddOns } from "../../addons/preview-add-ons.ts";
import type { DeployerTask, JsonObject } from "../../task.ts";
import { describePreview } from "../describe-preview.ts";
import type { Run, Subject } from "./open-run.ts";

/** Plans a change that is not to be made, and tells what it would do. The plan goes nowhere, and what an interrupted run has left stays where it is. */
export async function previewStack(task: DeployerTask, { account }: Subject, { terraform }: Run): Promise<JsonObject> {
  task.progress(10, "plan");
  const { id } = getValue(await terraform.plan());
  const { changes } = getValue(await terraform.showPlan(id));
  const { entity, formerSpec } = task.payload;
  const addOns = previewAddOns(account.cloud, formerSpec, entity.spec);
  return { items: [...describePreview(changes), ...addOns].map((item) => ({ ...item })) };
}
