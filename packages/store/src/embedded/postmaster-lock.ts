import { link, readFile, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@cloudwright/platform";
import { readCommandLine } from "./process-table.ts";

/** State of the lock file postmaster.pid, compared with the running processes. */
export type PostmasterState =
  /** No server is running. If a dead server left the file behind, PostgreSQL removes it on the next start. */
  | { readonly state: "absent" }
  /**
   * The file names a process that is not a server of this data directory. PostgreSQL would mistake the process for a server and refuse to
   * start.
   */
  | { readonly state: "foreign"; readonly text: string }
  /** The file is being written, or a crash left it empty. */
  | { readonly state: "unreadable"; readonly text: string; readonly ageMs: number }
  | {
      readonly state: "running";
      readonly pid: number;
      readonly ready: boolean;
      readonly socketDirectory: string;
      readonly port: number;
    };

/** Determines whether a server is running on a data directory. */
export async function inspectPostmaster(deps: { clock: Clock }, dataDirectory: string): Promise<PostmasterState> {
  const file = lockFile(dataDirectory);
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return { state: "absent" };
  const [pidLine = "", , , port = "", socketDirectory = "", , , status = ""] = text.split("\n");
  const pid = Math.abs(Number.parseInt(pidLine, 10));
  if (!Number.isInteger(pid) || pid === 0) {
    const found = await stat(file).catch(() => undefined);
    return found === undefined ? { state: "absent" } : { state: "unreadable", text, ageMs: deps.clock.now() - found.mtimeMs };
  }
  const commandLine = await readCommandLine(pid);
  if (commandLine === undefined) return { state: "absent" };
  if (!(await servesData(pid, commandLine, dataDirectory))) return { state: "foreign", text };
  return { state: "running", pid, ready: status.startsWith("ready"), socketDirectory, port: Number(port) };
}

/** Returns whether a process is a server of a data directory. A process that has exited but has not been reaped does not count. */
export async function isServing(pid: number, dataDirectory: string): Promise<boolean> {
  const commandLine = await readCommandLine(pid);
  return commandLine !== undefined && (await servesData(pid, commandLine, dataDirectory));
}

/** Moves a stale lock file aside, unless it has changed since it was inspected. */
export async function setStaleLockAside(dataDirectory: string, judged: string): Promise<void> {
  const file = lockFile(dataDirectory);
  const aside = `${file}.stale-${process.pid}`;
  try {
    await rename(file, aside);
    // Another process may have replaced the file between the inspection and the rename. In that case, the new file is restored.
    if ((await readFile(aside, "utf8")) !== judged) await link(aside, file);
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
  await rm(aside, { force: true });
}

/** Removes the socket's lock file. Like postmaster.pid, it can contain a process id that now belongs to another program. */
export async function removeStaleSocketLock(dataDirectory: string, socket: string): Promise<void> {
  const text = await readFile(`${socket}.lock`, "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  const commandLine = Number.isInteger(pid) ? await readCommandLine(pid) : "";
  if (commandLine === undefined || (await servesData(pid, commandLine, dataDirectory))) return;
  await rm(`${socket}.lock`, { force: true });
}

function lockFile(dataDirectory: string): string {
  return join(dataDirectory, "postmaster.pid");
}

async function servesData(pid: number, commandLine: string, dataDirectory: string): Promise<boolean> {
  if (!/\bpostgres|\bpostmaster/.test(commandLine)) return false;
  if (`${commandLine} `.includes(` -D ${dataDirectory} `)) return true;
  // The server may have been started with another path to the same directory, or the directory may have been moved since. The server's
  // working directory is always the data directory.
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return cwd !== undefined && cwd === (await realpath(dataDirectory).catch(() => dataDirectory));
}
