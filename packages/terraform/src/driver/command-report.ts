import type { Fault } from "@cloudwright/platform";
import type { Diagnostic } from "../events/diagnostic.ts";
import type { ChangeSummary, PlannedStep } from "../events/event.ts";

/** What is known of a command after its end. Long lists are cut off: the log has everything. */
export interface CommandReport {
  /** For example `plan`, or `state pull`. */
  readonly command: string;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly seconds: number;
  readonly diagnostics: readonly Diagnostic[];
  readonly planned: readonly PlannedStep[];
  readonly drift: readonly PlannedStep[];
  readonly summary?: ChangeSummary;
  /** Lines that are no events: how many, and the last of them. */
  readonly strayLines: { readonly count: number; readonly last: readonly string[] };
  readonly log?: { readonly path: string; readonly complete: boolean };
}

/** A state that Terraform could not save and left in a file. Until it is pushed, this file is all there is of it. */
export interface ErroredState {
  readonly path: string;
  readonly serial?: number;
  readonly lineage?: string;
}

/** How a command ended. */
export type CommandOutcome<Value> =
  | { readonly outcome: "done"; readonly value: Value; readonly report: CommandReport }
  | {
      readonly outcome: "failed" | "cancelled";
      readonly fault: Fault;
      readonly report: CommandReport;
      readonly erroredState?: ErroredState;
    };

/** The value of a command that was done; else its fault is thrown. */
export function getValue<Value>(outcome: CommandOutcome<Value>): Value {
  if (outcome.outcome !== "done") throw outcome.fault;
  return outcome.value;
}
