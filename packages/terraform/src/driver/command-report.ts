import type { Fault } from "@cloudwright/platform";
import type { Diagnostic } from "../events/diagnostic.ts";
import type { ChangeSummary, PlannedStep } from "../events/event.ts";

/** Report of a finished command. Long lists are truncated; the log is complete. */
export interface CommandReport {
  /** Command, such as `plan` or `state pull`. */
  readonly command: string;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly seconds: number;
  readonly diagnostics: readonly Diagnostic[];
  readonly planned: readonly PlannedStep[];
  readonly drift: readonly PlannedStep[];
  readonly summary?: ChangeSummary;
  /** Output lines that are not events: their count and the last few of them. */
  readonly strayLines: { readonly count: number; readonly last: readonly string[] };
  readonly log?: { readonly path: string; readonly complete: boolean };
}

/** A state that Terraform could not save and wrote to a local file. Until the state is pushed, this file is the only copy. */
export interface ErroredState {
  readonly path: string;
  readonly serial?: number;
  readonly lineage?: string;
}

export type CommandOutcome<Value> =
  | { readonly outcome: "done"; readonly value: Value; readonly report: CommandReport }
  | {
      readonly outcome: "failed" | "cancelled";
      readonly fault: Fault;
      readonly report: CommandReport;
      readonly erroredState?: ErroredState;
    };

/** Returns the value of a successful command. Throws the fault of a failed one. */
export function getValue<Value>(outcome: CommandOutcome<Value>): Value {
  if (outcome.outcome !== "done") throw outcome.fault;
  return outcome.value;
}
