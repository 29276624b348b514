import { readdirSync, readFileSync } from "node:fs";
import type { Pool } from "@cloudwright/store";

/**
 * CPU time that processes have used since they started, and their memory usage. A value that the operating system does not report is NaN.
 */
export interface ProcessUse {
  readonly cpuMicros: number;
  /** Memory that several processes share is counted only once. */
  readonly memoryBytes: number;
}

/** Returns the resource usage of a process and its descendants, including descendants that have exited. */
export function readProcessUse(root: number): ProcessUse {
  try {
    const all = listProcesses();
    const tree = [root];
    // The loop appends to the array it iterates over, so it reaches all descendants.
    for (const parent of tree) tree.push(...all.filter((one) => one.parent === parent).map(({ pid }) => pid));
    const own = all.filter(({ pid }) => tree.includes(pid));
    return {
      cpuMicros: own.reduce((sum, { ticks }) => sum + ticks * microsPerTick, 0),
      memoryBytes: own.reduce((sum, { pid }) => sum + readMemory(pid), 0),
    };
  } catch {
    return { cpuMicros: Number.NaN, memoryBytes: Number.NaN };
  }
}

/** Returns the resource usage of the whole PostgreSQL server that the pool connects to. */
export async function readDatabaseUse(pool: Pool): Promise<ProcessUse> {
  const { rows } = await pool.query<{ pid: number }>({ text: "select pg_backend_pid() as pid", values: [] });
  const backend = listProcesses().find(({ pid }) => pid === rows[0]?.pid);
  return readProcessUse(backend?.parent ?? 0);
}

// Linux reports process times to user space in hundredths of a second.
const microsPerTick = 10_000;

function listProcesses(): { pid: number; parent: number; ticks: number }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const text = readFileSync(`/proc/${name}/stat`, "utf8");
        // The process name is enclosed in parentheses and may itself contain spaces and parentheses.
        const fields = text
          .slice(text.lastIndexOf(")") + 2)
          .split(" ")
          .map(Number);
        const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + (fields[index] ?? 0), 0);
        return [{ pid: Number(name), parent: fields[1] ?? 0, ticks }];
      } catch {
        return [];
      }
    });
}

function readMemory(pid: number): number {
  try {
    const share = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
    return Number(share) * 1024;
  } catch {
    return 0;
  }
}
