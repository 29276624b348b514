import { readFileSync } from "node:fs";
import type { Pool } from "@cloudwright/store";

/**
 * Runs `work` and returns the CPU time, in microseconds, of this process and its PostgreSQL backends. Returns NaN if the operating system
 * does not report CPU times.
 */
export async function countCpuMicros(pool: Pool, work: () => Promise<void>): Promise<number> {
  const before = await readCpuMicros(pool);
  await work();
  return (await readCpuMicros(pool)) - before;
}

async function readCpuMicros(pool: Pool): Promise<number> {
  const text = "select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'";
  const { rows } = await pool.query<{ pid: number }>({ text, values: [] });
  const { user, system } = process.cpuUsage();
  return rows.reduce((sum, { pid }) => sum + readProcessMicros(pid), user + system);
}

function readProcessMicros(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1000;
  } catch {
    return Number.NaN;
  }
}
