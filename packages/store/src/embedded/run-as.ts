import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Environment } from "@cloudwright/platform";

/** As whom PostgreSQL runs, since it refuses root: ourselves, ourselves under another number, or somebody else. */
export interface RunAs {
  readonly kind: "self" | "namespace" | "user";
  /** Owner of its files, as we see them. */
  readonly uid: number;
  readonly gid: number;
}

/** This process's own user; only for a process that is not root. */
export function runAsSelf(): RunAs {
  return { kind: "self", uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

/** Root outside, an ordinary user inside a user namespace: root's files, whatever their mode, stay its own. */
export const runInNamespace: RunAs = { kind: "namespace", uid: 0, gid: 0 };

/** Another user of this machine. */
export function runAsUser(uid: number, gid: number): RunAs {
  return { kind: "user", uid, gid };
}

/** The first of the named users that this machine has. */
export async function findUser(names: readonly string[]): Promise<RunAs | undefined> {
  const lines = (await readFile("/etc/passwd", "utf8").catch(() => "")).split("\n").map((line) => line.split(":"));
  const line = names.map((name) => lines.find((fields) => fields[0] === name)).find((fields) => fields !== undefined);
  return line === undefined ? undefined : runAsUser(Number(line[2]), Number(line[3]));
}

/** Starts a program as that user, in a session of its own so that Ctrl-C in our terminal does not reach it. */
export function spawnAs(
  runAs: RunAs,
  environment: Environment,
  program: string,
  args: readonly string[],
  stdio: StdioOptions,
): ChildProcess {
  const options = {
    // The child gets nothing of our environment that it does not need; C keeps its messages in one language.
    env: { PATH: environment["PATH"] ?? "", LC_ALL: "C" },
    // Our own working directory may be closed to the other user.
    cwd: "/",
    detached: true,
    stdio,
  };
  if (runAs.kind === "namespace") {
    return spawn("unshare", ["--user", "--map-user=1000", "--map-group=1000", program, ...args], options);
  }
  return spawn(program, args, runAs.kind === "user" ? { ...options, uid: runAs.uid, gid: runAs.gid } : options);
}

/** Runs a program to its end and gives what it printed; a program that cannot be started counts as failed. */
export async function runToEnd(
  runAs: RunAs,
  environment: Environment,
  program: string,
  args: readonly string[],
): Promise<{ succeeded: boolean; output: string }> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    const end = (succeeded: boolean, more = ""): void => resolve({ succeeded, output: Buffer.concat(chunks).toString() + more });
    const child = spawnAs(runAs, environment, program, args, ["ignore", "pipe", "pipe"]);
    child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("error", (error) => end(false, error.message));
    child.on("close", (code) => end(code === 0));
  });
}
