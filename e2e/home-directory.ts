import { readFileSync } from "node:fs";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "./wait-until.ts";

/** Creates an empty home directory in the directory for temporary files. */
export async function createHome(parent = tmpdir()): Promise<string> {
  return mkdtemp(join(await realpath(parent), "cw-e2e-"));
}

/** Removes a home directory and its data directory. Also stops a database process that a killed server left running there. */
export async function removeHome(home: string): Promise<void> {
  const data = await realpath(join(home, "data")).catch(() => undefined);
  if (data !== undefined) {
    const pid = await findPostmaster(data);
    if (pid !== undefined) await killAndWait(pid, "SIGQUIT");
    await rm(data, { recursive: true, force: true });
  }
  await rm(home, { recursive: true, force: true });
}

/** Returns the process id from a data directory's lock file if that process is alive. */
export async function findPostmaster(data: string): Promise<number | undefined> {
  const text = await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  return Number.isInteger(pid) && isAlive(pid) ? pid : undefined;
}

/** Signals a process that may not be a child of this one, and waits until it has exited. */
export async function killAndWait(pid: number, signal: NodeJS.Signals): Promise<void> {
  if (!isAlive(pid)) return;
  process.kill(pid, signal);
  await waitUntil(`process ${pid} is gone`, () => !isAlive(pid));
}

/** Returns whether a process is alive. Zombies do not count. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // /proc does not exist (macOS), or the process belongs to another user.
    return code === "EPERM" || (code === "ENOENT" && process.platform !== "linux");
  }
}
