import { systemClock } from "@cloudwright/platform";
import { readFileSync } from "node:fs";
import type { FaultPlatform } from "./platform.ts";
import { hasVariable, listProcesses, stillRuns, type ListedProcess } from "./process-list.ts";

/** Lists the processes of a platform, and remembers the watchdogs it has seen. */
export interface Witness {
  /** Returns the programs that task handlers run, and their child processes. */
  children(): ListedProcess[];
  /** Returns only the programs that task handlers run, without their child processes. */
  programs(): ListedProcess[];
  watchdogs(): ListedProcess[];
  /** Returns the processes that are still running after everything has been stopped. */
  leftovers(): ListedProcess[];
  close(): Promise<void>;
}

const lookEveryMs = 250;

/** Samples the platform's processes until the witness is closed. */
export function startWitness(platform: Pick<FaultPlatform, "agents" | "directory">): Witness {
  const seen = new Map<string, ListedProcess>();
  const stop = new AbortController();
  const isOurs = ({ pid }: ListedProcess): boolean => hasVariable(pid, `HOME=${platform.directory}`);
  const children = (): ListedProcess[] => listProcesses().filter((found) => isOurs(found) && hasLease(found.pid));
  const watchdogs = (): ListedProcess[] => {
    const agents = new Set(platform.agents().map((agent) => agent.pid()));
    const found = listProcesses().filter(
      ({ parent, commandLine }) => agents.has(parent) && commandLine.includes("/watchdog/main.ts"),
    );
    for (const watchdog of found) seen.set(`${watchdog.pid} ${watchdog.startTicks}`, watchdog);
    return found;
  };
  const look = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      watchdogs();
      await systemClock.sleep(lookEveryMs, stop.signal).catch(() => undefined);
    }
  };
  const looking = look();
  return {
    children,
    programs: () => children().filter(({ commandLine }) => commandLine.includes("/demo/child.sh")),
    watchdogs,
    leftovers: () => [...listProcesses().filter(isOurs), ...[...seen.values()].filter(stillRuns)],
    async close() {
      stop.abort();
      await looking;
    },
  };
}

function hasLease(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8")
      .split("\0")
      .some((variable) => variable.startsWith("CLOUDWRIGHT_LEASE="));
  } catch {
    return false;
  }
}
