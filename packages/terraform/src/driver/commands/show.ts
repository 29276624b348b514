import { parseOutputs, type TerraformOutputs } from "../../reading/outputs.ts";
import { parsePlan, type TerraformPlan } from "../../reading/plan.ts";
import { parseSchemas, type ResourceSchemas } from "../../reading/schemas.ts";
import { parseShownState, type ShownState } from "../../reading/shown-state.ts";
import type { CommandOutcome } from "../command-report.ts";
import { conclude } from "../conclude.ts";
import { getPlanFile } from "../plan-files.ts";
import { readModuleReferences } from "../read-module-references.ts";
import { runCommand } from "../run-command.ts";
import type { Session } from "../session.ts";

/** Returns the changes in a saved plan. Sensitive values are masked in the result and redacted from later logs. */
export async function showPlan(session: Session, planId: string): Promise<CommandOutcome<TerraformPlan>> {
  const args = ["show", "-json", "-no-color", await getPlanFile(session, planId)];
  const run = await runCommand(session, { name: "show plan", args, output: "answer" });
  return conclude(session, run, ({ answer }) => {
    const { plan, secrets } = parsePlan(answer.toString(), readModuleReferences(session.directory));
    session.redactor.add(secrets);
    // Known secrets may also appear in values that the plan does not mark as sensitive, such as a provider's computed attributes.
    return session.redactor.redactJson(plan);
  });
}

/** Returns the state with its values. Sensitive values are masked. */
export async function showState(session: Session): Promise<CommandOutcome<ShownState>> {
  const run = await runCommand(session, { name: "show state", args: ["show", "-json", "-no-color"], output: "answer" });
  return conclude(session, run, ({ answer }) => {
    const { state, secrets } = parseShownState(answer.toString());
    session.redactor.add(secrets);
    return session.redactor.redactJson(state);
  });
}

/** Returns the stack's outputs. Sensitive ones are redacted from later logs. */
export async function readOutputs(session: Session): Promise<CommandOutcome<TerraformOutputs>> {
  const run = await runCommand(session, { name: "output", args: ["output", "-json", "-no-color"], output: "answer" });
  return conclude(session, run, ({ answer }) => {
    const { outputs, secrets } = parseOutputs(answer.toString());
    session.redactor.add(secrets);
    return outputs;
  });
}

/** Returns the resource schemas of the configuration's providers. */
export async function readSchemas(session: Session): Promise<CommandOutcome<ResourceSchemas>> {
  const run = await runCommand(session, { name: "schemas", args: ["providers", "schema", "-json"], output: "answer" });
  return conclude(session, run, ({ answer }) => parseSchemas(answer.toString()));
}
