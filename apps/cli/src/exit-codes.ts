import { CommanderError } from "commander";
import { Fault, type FaultKind } from "@cloudwright/platform/fault";
import { cliFaults } from "./faults.ts";

/** How a preflight ends that found something. */
export const foundCode = 10;

/** Every exit code with its meaning, for the help topic and the reference page. */
export const exitCodes = [
  { code: 0, meaning: "it worked" },
  {
    code: 1,
    meaning: "it failed: the server had an internal error, some documents could not be applied, or `can-i` says no",
  },
  { code: 2, meaning: "wrong usage or invalid input: an unknown command or flag, a file or field that is refused" },
  { code: 3, meaning: "not found" },
  { code: 4, meaning: "conflict: it exists already, changed meanwhile, still has children, or was not confirmed" },
  { code: 5, meaning: "not allowed: no valid key, or a role that does not reach" },
  { code: 6, meaning: "unavailable: the server cannot be reached, is overloaded, or did not answer in time" },
  { code: 7, meaning: "an operation that was waited for failed" },
  { code: 8, meaning: "an operation that was waited for was cancelled" },
  { code: 9, meaning: "an operation did not end within --timeout; the work goes on" },
  { code: 10, meaning: "a preflight found something that stands in the way; nothing was created" },
  { code: 130, meaning: "interrupted with Ctrl-C; work that was waited for goes on" },
] as const;

const codeByKind: Readonly<Record<FaultKind, number>> = {
  invalid: 2,
  unauthenticated: 5,
  denied: 5,
  not_found: 3,
  conflict: 4,
  gone: 6,
  exhausted: 6,
  unavailable: 6,
  internal: 1,
};

/** How waiting ended, for scripts that do something else in each case. */
const codeByFault: Readonly<Record<string, number>> = {
  [cliFaults.wait_failed.code]: 7,
  [cliFaults.wait_cancelled.code]: 8,
  [cliFaults.wait_timeout.code]: 9,
};

/** Thrown to end with a code when everything there is to say has been said. */
export class ExitRequest extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** The exit code of whatever a command threw. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof ExitRequest) return error.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return error instanceof Fault ? (codeByFault[error.code] ?? codeByKind[error.kind]) : 1;
}
