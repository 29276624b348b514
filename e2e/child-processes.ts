import { readdir, readFile } from "node:fs/promises";

/** Returns the ids of a process's children whose command line contains `text`. Linux only. */
export async function listChildren(parent: number, text: string): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
      const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      return Number(/^PPid:\s*(\d+)$/m.exec(status)?.[1]) === parent && line.includes(text) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}
