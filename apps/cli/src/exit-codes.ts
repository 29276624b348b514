import { CommanderError } from "commander";
import { Fault, type FaultKind } from "@cloudwright/platform/fault";
import { cliFaults } from "./faults.ts";

/** The exit code when preflight checks report findings. */
export const foundCode = 10;

/** All exit codes and their meanings. The help topic and the reference page are rendered from this list. */
export const exitCodes = [
  { code: 0, meaning: "success" },
  {
    code: 1,
    meaning: "failure: an internal server error occurred, documents could not be applied, or `can-i` printed `no`",
  },
  { code: 2, meaning: "usage error or invalid input: an unknown command or flag, or a rejected file or field" },
  { code: 3, meaning: "not found" },
  {
    code: 4,
    meaning:
      "conflict: the entity already exists, was changed in the meantime or still has children, or the action was not confirmed",
  },
  { code: 5, meaning: "not allowed: no valid API key, or an insufficient role" },
  { code: 6, meaning: "unavailable: the server cannot be reached, is overloaded, or did not respond in time" },
  { code: 7, meaning: "the operation failed (with --wait)" },
  { code: 8, meaning: "the operation was cancelled (with --wait)" },
  { code: 9, meaning: "the operation did not end within --timeout; it continues" },
  { code: 10, meaning: "preflight checks found problems; nothing was created" },
  { code: 130, meaning: "interrupted with Ctrl-C; running operations continue" },
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

/** Each way in which waiting can end has its own exit code, so that scripts can tell them apart. */
const codeByFault: Readonly<Record<string, number>> = {
  [cliFaults.wait_failed.code]: 7,
  [cliFaults.wait_cancelled.code]: 8,
  [cliFaults.wait_timeout.code]: 9,
};

/** Thrown to exit with a specific code without printing an error. */
export class ExitRequest extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof ExitRequest) return error.exitCode;
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return error instanceof Fault ? (codeByFault[error.code] ?? codeByKind[error.kind]) : 1;
}
