import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";

/**
 * Returns the command line of a process. Returns undefined if the process does not exist, and "" if it has exited but has not been reaped.
 */
export async function readCommandLine(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") {
    const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => undefined);
    return text?.replaceAll("\0", " ").trim();
  }
  return new Promise((resolve) => {
    execFile("ps", ["-o", "command=", "-p", String(pid)], (error, stdout) => resolve(error === null ? stdout.trim() : undefined));
  });
}
