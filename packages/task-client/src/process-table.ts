import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

/** Identifies a process unambiguously, even if its id is reused. */
export interface ProcessMark {
  readonly pid: number;
  /** Start in clock ticks since boot, from /proc. */
  readonly startTicks: string;
  /** The boot to which it belongs, because ids start again with each boot. */
  readonly boot: string;
}

/** The variable in a child's environment that names its lease. */
export const leaseVariable = "CLOUDWRIGHT_LEASE";

/** Returns the name of a lease for the environment of children. It distinguishes leases but is no proof of one. */
export function leaseName(leaseToken: string): string {
  return createHash("sha256").update(leaseToken).digest("hex").slice(0, 32);
}

/** Returns the mark of a running process, or undefined if there is none with this id. */
export function findProcessMark(pid: number): ProcessMark | undefined {
  const startTicks = findStartTicks(pid);
  return startTicks === undefined ? undefined : { pid, startTicks, boot: readBoot() };
}

/** Returns whether exactly this process is still running. */
function isRunning(mark: ProcessMark): boolean {
  const found = findProcessMark(mark.pid);
  return found !== undefined && found.startTicks === mark.startTicks && found.boot === mark.boot;
}

/** Kills the process groups whose leader is still exactly that process. */
export function killGroups(marks: Iterable<ProcessMark>): void {
  for (const mark of marks) if (isRunning(mark)) tryKill(-mark.pid);
}

/** Kills every process with one of these leases in its environment, even if it has left its group or lost its leader. */
export function killLeases(leases: ReadonlySet<string>): void {
  const marks = new Set([...leases].map((lease) => `${leaseVariable}=${lease}`));
  for (const pid of listProcesses()) {
    if (pid !== process.pid && listVariables(pid).some((variable) => marks.has(variable))) tryKill(pid);
  }
}

/** Sends a signal to a process or, with a negative id, to a group. Returns false if there is none. */
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
    // The name is in parentheses and may contain anything. The fields after the last parenthesis are regular.
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
