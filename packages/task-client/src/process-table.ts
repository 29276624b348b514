import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

/** Identifies a process uniquely, even if its pid is reused. */
export interface ProcessMark {
  readonly pid: number;
  /** Start time in clock ticks since boot, from /proc. */
  readonly startTicks: string;
  /** Boot id, because pids start over after a reboot. */
  readonly boot: string;
}

/** Environment variable that identifies the lease of a child process. */
export const leaseVariable = "CLOUDWRIGHT_LEASE";

/** Returns the lease's identifier for the environment of child processes. It is a hash, so it does not reveal the lease token. */
export function leaseName(leaseToken: string): string {
  return createHash("sha256").update(leaseToken).digest("hex").slice(0, 32);
}

/** Returns the mark of a running process, or undefined if no process has this pid. */
export function findProcessMark(pid: number): ProcessMark | undefined {
  const startTicks = findStartTicks(pid);
  return startTicks === undefined ? undefined : { pid, startTicks, boot: readBoot() };
}

/** Returns whether the marked process is still running. */
function isRunning(mark: ProcessMark): boolean {
  const found = findProcessMark(mark.pid);
  return found !== undefined && found.startTicks === mark.startTicks && found.boot === mark.boot;
}

/** Kills the process groups whose leaders are still running. */
export function killGroups(marks: Iterable<ProcessMark>): void {
  for (const mark of marks) if (isRunning(mark)) tryKill(-mark.pid);
}

/** Kills every process that has one of these leases in its environment, even if it has left its process group. */
export function killLeases(leases: ReadonlySet<string>): void {
  const marks = new Set([...leases].map((lease) => `${leaseVariable}=${lease}`));
  for (const pid of listProcesses()) {
    if (pid !== process.pid && listVariables(pid).some((variable) => marks.has(variable))) tryKill(pid);
  }
}

/** Sends a signal to a process, or to a process group if the id is negative. Returns false if the signal could not be sent. */
export function tryKill(target: number, signal: NodeJS.Signals = "SIGKILL"): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}

function listProcesses(): number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

function listVariables(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}

function findStartTicks(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The process name is in parentheses and may contain any character. The fields start after the last parenthesis.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

let boot: string | undefined;

function readBoot(): string {
  try {
    boot ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    boot = "unknown";
  }
  return boot;
}
