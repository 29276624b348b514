import { Fault } from "@cloudwright/platform";
import { spawn, type ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { terraformFaults } from "../faults.ts";
import { signalGroup } from "./signal-group.ts";

/** How a child process ended. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running child process that leads its own process group. */
export interface RunningChild {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the process has exited and its output has been read. Never rejects. */
  readonly ended: Promise<ChildEnd>;
}

/** Starts a program. An agent passes its own implementation to handlers, so that Terraform runs under the agent's watchdog. */
export type Spawn = (
  command: string,
  args: readonly string[],
  options?: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> },
) => Promise<RunningChild>;

// How long to wait for output after the program has exited. A grandchild may keep the pipe open.
const outputAfterEndMs = 5000;

/** Starts programs without a watchdog. Their environment contains only these variables and those passed in each call. */
export function createSpawn(environment: Readonly<Record<string, string>>): Spawn {
  return (command, args, options = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        detached: true,
        env: { ...environment, ...options.env },
        stdio: ["pipe", "pipe", "pipe"],
        ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      });
      child.once("error", (cause) =>
        reject(new Fault(terraformFaults.start_failed, `${command} could not be started: ${cause.message}`, { cause })),
      );
      const { pid, stdin, stdout, stderr } = child;
      if (pid === undefined) return;
      stdin.on("error", () => undefined);
      resolve({ pid, stdin, stdout, stderr, ended: follow(child, pid) });
    });
}

function follow(child: ChildProcess, pid: number): Promise<ChildEnd> {
  return new Promise((resolve) => {
    let end: ChildEnd = { code: null, signal: null };
    let timer: NodeJS.Timeout | undefined;
    child.once("exit", (code, signal) => {
      end = { code, signal };
      // Kill child processes that the program left behind.
      signalGroup(pid, "SIGKILL");
      timer = setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream?.destroy()), outputAfterEndMs);
    });
    child.once("close", () => {
      clearTimeout(timer);
      resolve(end);
    });
  });
}
