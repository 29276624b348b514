import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Environment } from "@cloudwright/platform";

/** The identity under which PostgreSQL runs, because it refuses root: our own user, our own user inside a namespace, or another user. */
export interface RunAs {
  readonly kind: "self" | "namespace" | "user";
  /** The owner of its files, as seen from outside. */
  readonly uid: number;
  readonly gid: number;
  /** The user id inside a namespace. */
  readonly inside?: number;
}

/** Runs as the current user, for a process that is not root. */
export function runAsSelf(): RunAs {
  return { kind: "self", ...ownIds() };
}

/**
 * Runs as the current user outside, and as an ordinary user inside a user namespace. Files keep their owner whatever their mode. initdb
 * requires a user that is listed in the user database.
 */
export async function runInNamespace(): Promise<RunAs> {
  const user = await findServiceUser();
  return { kind: "namespace", ...ownIds(), inside: user?.uid ?? 1000 };
}

/** Runs as another user of this machine. */
export function runAsUser(uid: number, gid: number): RunAs {
  return { kind: "user", uid, gid };
}

/** The users that may run PostgreSQL for root, in order of preference. */
export const serviceUsers = ["postgres", "nobody"];

/** Returns the first service user that exists on this machine. */
export async function findServiceUser(): Promise<RunAs | undefined> {
  const users = await listUsers();
  const found = serviceUsers.map((name) => users.find((user) => user.name === name)).find((user) => user !== undefined);
  return found === undefined ? undefined : runAsUser(found.uid, found.gid);
}

/** Returns whether the machine's user database contains this user id. */
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

/** Starts a program as that user in a separate session, so that Ctrl-C in our terminal does not reach it. */
export function spawnAs(
  runAs: RunAs,
  environment: Environment,
  program: string,
  args: readonly string[],
  stdio: StdioOptions,
): ChildProcess {
  const options = {
    // The child gets only the variables that it needs. The locale C keeps its messages in one language.
    env: { PATH: environment["PATH"] ?? "", LC_ALL: "C" },
    // The other user may not be able to access our working directory.
    cwd: "/",
    detached: true,
    stdio,
  };
  if (runAs.kind === "namespace") {
    return spawn("unshare", ["--user", `--map-user=${runAs.inside}`, `--map-group=${runAs.inside}`, program, ...args], options);
  }
  return spawn(program, args, runAs.kind === "user" ? { ...options, uid: runAs.uid, gid: runAs.gid } : options);
}

/** Runs a program until it exits and returns its output. A program that cannot be started counts as failed. */
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
