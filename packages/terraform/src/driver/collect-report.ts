import type { Diagnostic } from "../events/diagnostic.ts";
import type { ChangeSummary, PlannedStep, TerraformEvent } from "../events/event.ts";
import type { CommandReport } from "./command-report.ts";
import { goRanOut } from "./limit-memory.ts";

/** Collects the data for a running command's report. */
export interface ReportCollector {
  hear(event: TerraformEvent): void;
  hearStray(line: string): void;
  addDiagnostics(found: readonly Diagnostic[]): void;
  /** Returns the version of the event format if it is not supported. */
  unknownUi(): string | undefined;
  strayText(): string;
  /** Returns whether a Go program printed that it could not get more memory. */
  ranOutOfMemory(): boolean;
  collect(): Pick<CommandReport, "diagnostics" | "planned" | "drift" | "summary" | "strayLines">;
}

const mostDiagnostics = 500;
const mostChanges = 20_000;
const mostStrayLines = 200;
const longestStrayLine = 2000;

/** Creates a collector with bounded memory, regardless of how much a program prints. */
export function createReportCollector(): ReportCollector {
  const diagnostics: Diagnostic[] = [];
  const planned: PlannedStep[] = [];
  const drift: PlannedStep[] = [];
  const stray: string[] = [];
  let strayCount = 0;
  let summary: ChangeSummary | undefined;
  let unknownUi: string | undefined;
  let hasNoMemory = false;

  const addDiagnostics = (found: readonly Diagnostic[]): void => {
    // When the list is full, errors are still recorded.
    for (const diagnostic of found) {
      if (diagnostics.length < mostDiagnostics) diagnostics.push(diagnostic);
      else if (diagnostic.severity === "error") diagnostics[mostDiagnostics - 1] = diagnostic;
    }
  };
  return {
    addDiagnostics,
    hear(event) {
      if (event.type === "diagnostic") addDiagnostics([event.diagnostic]);
      if (event.type === "planned" && planned.length < mostChanges) planned.push(pickStep(event));
      if (event.type === "drift" && drift.length < mostChanges) drift.push(pickStep(event));
      if (event.type === "summary") summary = pickSummary(event);
      if (event.type === "version" && !/^[01]\./.test(event.ui)) unknownUi = event.ui;
    },
    hearStray(line) {
      if (line.trim() === "") return;
      strayCount += 1;
      // The stack traces that follow can be longer than all lines that are kept.
      if (goRanOut.test(line)) hasNoMemory = true;
      stray.push(line.slice(0, longestStrayLine));
      if (stray.length > mostStrayLines) stray.shift();
    },
    unknownUi: () => unknownUi,
    strayText: () => stray.join("\n"),
    ranOutOfMemory: () => hasNoMemory,
    collect: () => ({
      diagnostics,
      planned,
      drift,
      strayLines: { count: strayCount, last: stray },
      ...(summary === undefined ? {} : { summary }),
    }),
  };
}

function pickStep(event: PlannedStep): PlannedStep {
  const { address, resourceType, action, reason, previousAddress } = event;
  return {
    address,
    resourceType,
    action,
    ...(reason === undefined ? {} : { reason }),
    ...(previousAddress === undefined ? {} : { previousAddress }),
  };
}

function pickSummary({ operation, add, change, remove, import: imported }: ChangeSummary): ChangeSummary {
  return { operation, add, change, remove, import: imported };
}
