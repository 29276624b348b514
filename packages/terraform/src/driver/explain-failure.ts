import { Fault, type FaultDefinition } from "@cloudwright/platform";
import { describeDiagnostic, type Diagnostic } from "../events/diagnostic.ts";
import { terraformFaults } from "../faults.ts";

// Maps error messages to faults, most severe first, because Terraform's diagnostics have no codes. The messages are those of Terraform 1.9
// to 1.11 and OpenTofu.
const meanings: readonly (readonly [FaultDefinition, RegExp])[] = [
  [terraformFaults.state_not_saved, /^(Failed to (save|persist|write) state|Error saving state|Failed to update state)/],
  [terraformFaults.disk_full, /no space left on device|disk quota exceeded/i],
  [terraformFaults.plan_stale, /^Saved plan is stale/],
  [
    terraformFaults.plan_mismatch,
    /^Mismatch between input and plan variable value|^Can't change variable when applying a saved plan/,
  ],
  // Also matches state lock failures that were caused by a server that did not respond.
  [
    terraformFaults.state_unavailable,
    /^(Error message: )?(Error|Failed).*(giving up after \d+ attempt|connection refused|endpoint (requires|invalid) auth)/is,
  ],
  [terraformFaults.state_locked, /^Error acquiring the state lock|state already locked/],
  [
    terraformFaults.not_initialised,
    /^(Backend initialization required|Initialization required|Module not installed|Inconsistent dependency lock file|Required plugins are not installed|Backend configuration changed)|run "(terraform|tofu) init"/,
  ],
  [
    terraformFaults.provider_not_installed,
    /^(Failed to query available provider packages|Failed to install provider|Failed to retrieve|Incompatible provider version|Invalid provider registry host|Provider registry service unreachable)/,
  ],
  [
    terraformFaults.provider_failed,
    /^(Plugin did not respond|Plugin error|Request cancelled|Failed to load plugin schemas|Failed to instantiate provider|Provider produced)|Unrecognized remote plugin message|Failed to read any lines from plugin/,
  ],
  [
    terraformFaults.state_unavailable,
    /^(Error (loading|refreshing|inspecting) (the )?(state|backend)|Failed to (load|read|refresh|get) (the )?(state|existing workspaces))|HTTP remote state/i,
  ],
  [terraformFaults.condition_failed, /^Resource (pre|post)condition failed|^Module output value precondition failed/],
  [
    terraformFaults.bad_variables,
    /^(No value for required variable|Invalid value for (input )?variable|Variable value|Variables not allowed|Unset variable|Invalid variable value)/,
  ],
];

const configurationWords =
  /^(Invalid|Unsupported|Missing|Duplicate|Reference to|Unclosed|Argument|Incorrect|Unexpected|Extraneous|Unterminated|Attribute|Cycle|Unreadable|(Terraform|OpenTofu) encountered problems|Unknown|Inconsistent conditional|Conflicting|Error in function call|Call to unknown function|Self-referential|Unbalanced|Failed to read (module|file))/;

/** Returns the fault for the most severe error of a failed command. */
export function explainFailure(command: string, diagnostics: readonly Diagnostic[], lastLines: readonly string[]): Fault {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  // Some commands print the reason as plain text instead of a diagnostic.
  const said =
    errors.length > 0 ? errors : lastLines.map((line): Diagnostic => ({ severity: "error", summary: line.trim(), detail: "" }));
  for (const [definition, words] of meanings) {
    const found = said.find(({ summary, detail }) => words.test(summary) || words.test(detail));
    if (found !== undefined) return toFault(definition, found, errors.length);
  }
  const inConfiguration = errors.find(({ summary, file }) => file !== undefined && configurationWords.test(summary));
  if (inConfiguration !== undefined) return toFault(terraformFaults.bad_configuration, inConfiguration, errors.length);
  const [first] = errors;
  const otherwise = command === "validate" ? terraformFaults.bad_configuration : terraformFaults.failed;
  if (first !== undefined) return toFault(otherwise, first, errors.length);
  const words = lastLines.slice(-5).join(" ").replaceAll(/\s+/g, " ").trim();
  return new Fault(
    terraformFaults.failed,
    `${command} failed without reporting a reason${words === "" ? "" : `; its last output: ${words}`}`,
  );
}

function toFault(definition: FaultDefinition, diagnostic: Diagnostic, count: number): Fault {
  const { address, file, line } = diagnostic;
  const more = count > 1 ? `, and ${count - 1} more` : "";
  return new Fault(definition, `${describeDiagnostic(diagnostic).slice(0, 1000)}${more}`, {
    extra: {
      ...(address === undefined ? {} : { address }),
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { line }),
    },
  });
}
