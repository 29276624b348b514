import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Environment } from "@cloudwright/platform";

/** As whom PostgreSQL runs, since it refuses root: ourselves, ourselves under another number, or somebody else. */
export interface RunAs {
  readonly kind: "self" | "namespace" | "user";
  /** Owner of its files, as we see them. */
  readonly uid: number;
  readonly gid: number;
  /** Its number inside a namespace. */
  readonly inside?: number;
}

/** This process's own user; only for a process that is not root. */
export function runAsSelf(): RunAs {
  return { kind: "self", ...ownIds() };
}

/**
 * Ourselves outside, somebody who is neither root nor unknown inside a user namespace: our files, whatever their mode, stay our own.
 * initdb insists on a user with an entry in the list of users.
 */
export async function runInNamespace(): Promise<RunAs> {
  const user = await findServiceUser();
  return { kind: "namespace", ...ownIds(), inside: user?.uid ?? 1000 };
}

/** Another user of this machine. */
export function runAsUser(uid: number, gid: number): RunAs {
  return { kind: "user", uid, gid };
}

/** The users that may run PostgreSQL for root, in order of preference. */
export const serviceUsers = ["postgres", "nobody"];

/** The first of the service users that this machine has. */
export async function findServiceUser(): Promise<RunAs | undefined> {
  const users = await listUsers();
  const found = serviceUsers.map((name) => users.find((user) => user.name === name)).find((user) => user !== undefined);
  return found === undefined ? undefined : runAsUser(found.uid, found.gid);
}

/** Whether the machine's own list has a user of this number. */
export async function isKnownUser(uid: number): Promise<boolean> {
  return (await listUsers()).some((user) => user.uid === uid);
}

async function listUsers(): Promise<{ name: string; uid: number; gid: number }[]> {
  const text = await readFile("/etc/passwd", "utf8").catch(() => "");
  const lines = text.split("\n").map((line) => line.split(":"));
  return lines.map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}

function ownIds(): { uid: number; gid: number } {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
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
    return spawn("unshare", ["--user", `--map-user=${runAs.inside}`, `--map-group=${runAs.inside}`, program, ...args], options);
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
