import { readFile } from "node:fs/promises";

/** Identifies a process. A later process with the same process id has a different identity. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly started: string;
}

/** Returns the identity of a running process, or undefined if no process has this id. */
export async function identifyProcess(pid: number | undefined): Promise<ProcessIdentity | undefined> {
  if (pid === undefined) return undefined;
  const [boot, status] = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "utf8"),
    readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""),
  ]);
  // The program's name is in parentheses and may contain spaces. The start time is the 20th field after it.
  const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
  const [state, started] = [fields[0], fields[19]];
  if (started === undefined || state === "Z" || state === "X") return undefined;
  return { pid, started: `${boot.trim()}/${started}` };
}

export async function isRunning(identity: ProcessIdentity | undefined): Promise<boolean> {
  if (identity === undefined) return false;
  return (await identifyProcess(identity.pid))?.started === identity.started;
}
