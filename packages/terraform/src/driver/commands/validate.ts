import { Fault, isObject, listOf, parseJson } from "@cloudwright/platform";
import { readDiagnostic, type Diagnostic } from "../../events/diagnostic.ts";
import { terraformFaults } from "../../faults.ts";
import type { CommandOutcome } from "../command-report.ts";
import { conclude } from "../conclude.ts";
import { explainFailure } from "../explain-failure.ts";
import { runCommand } from "../run-command.ts";
import type { Session } from "../session.ts";

/** Validates the configuration and returns its warnings. */
export async function validate(session: Session): Promise<CommandOutcome<readonly Diagnostic[]>> {
  // Exit code 1 means that the configuration is invalid. The output contains the reasons.
  const run = await runCommand(session, {
    name: "validate",
    args: ["validate", "-json", "-no-color"],
    output: "answer",
    goodCodes: [0, 1],
  });
  const answer = parseJson(run.answer.toString());
  const found = isObject(answer) ? listOf(session.redactor.redactJson(answer)["diagnostics"]) : [];
  const diagnostics = [...run.report.diagnostics, ...found.flatMap((value) => readDiagnostic(value) ?? [])];
  return conclude(session, { ...run, report: { ...run.report, diagnostics } }, () => {
    if (!isObject(answer)) throw new Fault(terraformFaults.unexpected_output, "validate did not print JSON");
    if (answer["valid"] !== true || diagnostics.some(({ severity }) => severity === "error")) {
      throw explainFailure("validate", diagnostics, []);
    }
    return diagnostics;
  });
}
