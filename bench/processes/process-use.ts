import { readdirSync, readFileSync } from "node:fs";
import type { Pool } from "@cloudwright/store";

/** What some processes have used since they started, and the memory they hold now; NaN where the system does not tell. */
export interface ProcessUse {
  readonly cpuMicros: number;
  /** Memory that processes share is counted once. */
  readonly memoryBytes: number;
}

/** What a process and all that it started use, those that have ended included. */
export function readProcessUse(root: number): ProcessUse {
  try {
    const all = listProcesses();
    const tree = [root];
    // Grows while it is gone through.
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

/** What the whole PostgreSQL server behind a pool uses. */
export async function readDatabaseUse(pool: Pool): Promise<ProcessUse> {
  const { rows } = await pool.query<{ pid: number }>({ text: "select pg_backend_pid() as pid", values: [] });
  const backend = listProcesses().find(({ pid }) => pid === rows[0]?.pid);
  return readProcessUse(backend?.parent ?? 0);
}

// Linux counts in hundredths of a second, whatever its own clock does.
const microsPerTick = 10_000;

function listProcesses(): { pid: number; parent: number; ticks: number }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const text = readFileSync(`/proc/${name}/stat`, "utf8");
        // The name in brackets may hold anything.
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
