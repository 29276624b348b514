import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Environment } from "@cloudwright/platform";

/**
 * The identity under which PostgreSQL runs: the current user, the current user inside a user namespace, or another user. PostgreSQL refuses
 * to run as root.
 */
export interface RunAs {
  readonly kind: "self" | "namespace" | "user";
  /** Owner of the files, as seen from outside a namespace. */
  readonly uid: number;
  readonly gid: number;
  /** User id inside the namespace. */
  readonly inside?: number;
}

/** Returns the identity of the current user, which must not be root. */
export function runAsSelf(): RunAs {
  return { kind: "self", ...ownIds() };
}

/**
 * Returns an identity that is the current user outside a user namespace and an unprivileged user inside it. Files in the home directory
 * stay owned by the current user. The inner user must be listed in /etc/passwd, because initdb requires it.
 */
export async function runInNamespace(): Promise<RunAs> {
  const user = await findServiceUser();
  return { kind: "namespace", ...ownIds(), inside: user?.uid ?? 1000 };
}

export function runAsUser(uid: number, gid: number): RunAs {
  return { kind: "user", uid, gid };
}

/** Users that may run PostgreSQL on behalf of root, in order of preference. */
export const serviceUsers = ["postgres", "nobody"];

/** Returns the first service user that exists on this machine. */
export async function findServiceUser(): Promise<RunAs | undefined> {
  const users = await listUsers();
  const found = serviceUsers.map((name) => users.find((user) => user.name === name)).find((user) => user !== undefined);
  return found === undefined ? undefined : runAsUser(found.uid, found.gid);
}

/** Returns whether /etc/passwd lists this user id. */
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

/** Starts a program under an identity. The program gets its own session, so that Ctrl-C in this terminal does not reach it. */
export function spawnAs(
  runAs: RunAs,
  environment: Environment,
  program: string,
  args: readonly string[],
  stdio: StdioOptions,
): ChildProcess {
  const options = {
    // Passes on only the necessary variables. The C locale keeps messages in English, so that they can be parsed.
    env: { PATH: environment["PATH"] ?? "", LC_ALL: "C" },
    // The other user may not have access to the current working directory.
    cwd: "/",
    detached: true,
    stdio,
  };
  if (runAs.kind === "namespace") {
    return spawn("unshare", ["--user", `--map-user=${runAs.inside}`, `--map-group=${runAs.inside}`, program, ...args], options);
  }
  return spawn(program, args, runAs.kind === "user" ? { ...options, uid: runAs.uid, gid: runAs.gid } : options);
}

/** Runs a program until it exits and returns its output. A program that cannot be started is treated as failed. */
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
