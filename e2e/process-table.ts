import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** Returns the command lines of all processes whose command line contains `text`, such as the path of a directory. */
export async function listCommandLines(text: string): Promise<string[]> {
  const lines = process.platform === "linux" ? await readProcesses() : await askPs();
  return lines.filter((line) => line.includes(text));
}

/** Reads /proc, because minimal machines have no `ps`. */
async function readProcesses(): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""));
  return (await Promise.all(lines)).map((line) => line.replaceAll("\0", " ").trim());
}

async function askPs(): Promise<string[]> {
  const { stdout } = await promisify(execFile)("ps", ["-ww", "-A", "-o", "args="], { maxBuffer: 16 * 1024 * 1024 });
  return stdout.split("\n");
}
