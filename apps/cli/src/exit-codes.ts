import { CommanderError } from "commander";
import { Fault, type FaultKind } from "@cloudwright/platform/fault";

/** Every exit code with its meaning, for the help topic and the reference page. */
export const exitCodes = [
  { code: 0, meaning: "it worked" },
  {
    code: 1,
    meaning:
      "it failed: the server had an internal error, something waited for came to FAILED, some documents could not be applied, or `can-i` says no",
  },
  { code: 2, meaning: "wrong usage or invalid input: an unknown command or flag, a file or field that is refused" },
  { code: 3, meaning: "not found" },
  { code: 4, meaning: "conflict: it exists already, changed meanwhile, still has children, or was not confirmed" },
  { code: 5, meaning: "not allowed: no valid key, or a role that does not reach" },
  { code: 6, meaning: "unavailable: the server cannot be reached, is overloaded, or a time ran out" },
  { code: 130, meaning: "interrupted with Ctrl-C" },
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
  return error instanceof Fault ? codeByKind[error.kind] : 1;
}
