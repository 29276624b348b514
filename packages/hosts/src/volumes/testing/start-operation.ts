import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Operation } from "./run-operation.ts";

export interface StartedOperation {
  /** Starts the operation. */
  go(): void;
  kill(): void;
  /** The result or the fault that the process printed, or undefined if the process was killed first. */
  readonly outcome: Promise<{ readonly result?: unknown; readonly code?: string; readonly message?: string } | undefined>;
}

/** Prepares an operation on volumes in another process, which waits until `go` is called. */
export async function startOperation(directory: string, operation: Operation): Promise<StartedOperation> {
  const script = join(import.meta.dirname, "run-operation.ts");
  const child = spawn(process.execPath, [script, directory, JSON.stringify(operation)], { stdio: ["pipe", "pipe", "inherit"] });
  const lines: string[] = [];
  const reader = createInterface(child.stdout).on("line", (line) => lines.push(line));
  const closed = once(child, "close");
  await once(reader, "line");
  return {
    go: () => child.stdin.end("go\n"),
    kill: () => child.kill("SIGKILL"),
    outcome: closed.then(() => (lines[1] === undefined ? undefined : (JSON.parse(lines[1]) as object))),
  };
}
