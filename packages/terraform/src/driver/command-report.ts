import type { Fault } from "@cloudwright/platform";
import type { Diagnostic } from "../events/diagnostic.ts";
import type { ChangeSummary, PlannedStep } from "../events/event.ts";

/** The report of a finished command. Long lists are truncated; the log contains everything. */
export interface CommandReport {
  /** For example `plan` or `state pull`. */
  readonly command: string;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly seconds: number;
  readonly diagnostics: readonly Diagnostic[];
  readonly planned: readonly PlannedStep[];
  readonly drift: readonly PlannedStep[];
  readonly summary?: ChangeSummary;
  /** Lines that are not events: their number and the last of them. */
  readonly strayLines: { readonly count: number; readonly last: readonly string[] };
  readonly log?: { readonly path: string; readonly complete: boolean };
}

/** A state that Terraform could not save and wrote to a local file. Until it is pushed, this file is the only copy. */
export interface ErroredState {
  readonly path: string;
  readonly serial?: number;
  readonly lineage?: string;
}

/** The result of a command. */
export type CommandOutcome<Value> =
  | { readonly outcome: "done"; readonly value: Value; readonly report: CommandReport }
  | {
      readonly outcome: "failed" | "cancelled";
      readonly fault: Fault;
      readonly report: CommandReport;
      readonly erroredState?: ErroredState;
    };

/** Returns the value of a successful command. Throws the fault of any other. */
export function getValue<Value>(outcome: CommandOutcome<Value>): Value {
  if (outcome.outcome !== "done") throw outcome.fault;
  return outcome.value;
}
