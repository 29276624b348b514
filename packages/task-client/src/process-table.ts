import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessMark {
  readonly pid: number;
  /** Start in clock ticks since boot, from /proc. */
  readonly startTicks: string;
  /** The boot it belongs to: numbers begin anew with each. */
  readonly boot: string;
}

/** The variable that says, in a child's environment, under which lease it works. */
export const leaseVariable = "CLOUDWRIGHT_LEASE";

/** A lease's name for the environment of children: it tells leases apart and proves none. */
export function leaseName(leaseToken: string): string {
  return createHash("sha256").update(leaseToken).digest("hex").slice(0, 32);
}

/** The mark of a running process; undefined when there is none of that number. */
export function findProcessMark(pid: number): ProcessMark | undefined {
  const startTicks = findStartTicks(pid);
  return startTicks === undefined ? undefined : { pid, startTicks, boot: readBoot() };
}

/** Whether this very process still runs. */
function isRunning(mark: ProcessMark): boolean {
  const found = findProcessMark(mark.pid);
  return found !== undefined && found.startTicks === mark.startTicks && found.boot === mark.boot;
}

/** Kills the groups whose leader is still that very process. */
export function killGroups(marks: Iterable<ProcessMark>): void {
  for (const mark of marks) if (isRunning(mark)) tryKill(-mark.pid);
}

/** Kills every process that carries one of these leases in its environment: also one that left its group or lost its leader. */
export function killLeases(leases: ReadonlySet<string>): void {
  const marks = new Set([...leases].map((lease) => `${leaseVariable}=${lease}`));
  for (const pid of listProcesses()) {
    if (pid !== process.pid && listVariables(pid).some((variable) => marks.has(variable))) tryKill(pid);
  }
}

/** Sends a signal to a process or, by a negative number, to a group; false when there is none. */
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
    // The name is in brackets and may hold anything; what follows the last one is regular.
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
