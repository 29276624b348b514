import { readdirSync, readFileSync } from "node:fs";

/** A process as listed in /proc. */
export interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  /** Start time, which distinguishes the process from a later one with the same id. */
  readonly startTicks: string;
  readonly commandLine: string;
}

/** Returns all running processes except zombies. */
export function listProcesses(): ListedProcess[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? readProcess(Number(name)) : []));
}

/** Returns whether the environment of a process contains `setting`, such as `HOME=/tmp/x`. */
export function hasVariable(pid: number, setting: string): boolean {
  return readText(`/proc/${pid}/environ`).split("\0").includes(setting);
}

/** Returns whether this process is still running. A later process with the same id does not count. */
export function stillRuns({ pid, startTicks }: ListedProcess): boolean {
  return readProcess(pid).some((found) => found.startTicks === startTicks);
}

/** Sends a signal. Returns false if the process no longer exists. */
export function trySignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function readProcess(pid: number): ListedProcess[] {
  const text = readText(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (text === "" || fields[0] === "Z" || fields[0] === "X") return [];
  const commandLine = readText(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
  return [{ pid, parent: Number(fields[1]), startTicks: fields[19] ?? "", commandLine }];
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
