import type { WorkTrace } from "@cloudwright/simulator";
import { openSync, readFileSync, writeSync } from "node:fs";

/** The fixed size of a record in the file. No cluster id is longer than this. */
const slotBytes = 80;

/**
 * Creates a trace in a file. The operating system keeps the written data even if the process dies suddenly. A write takes a few
 * microseconds.
 */
export function createWorkTrace(path: string): WorkTrace {
  const file = openSync(path, "w", 0o600);
  const write = (slot: number, id: string): void => void writeSync(file, id.padEnd(slotBytes), slot * slotBytes);
  write(0, "");
  write(1, "");
  return {
    setRunning: (id = "") => write(0, id),
    setLoading: (id = "") => write(1, id),
  };
}

/**
 * Returns the cluster that a process was working for when it died, or undefined if it was working for none. While the process loads a
 * cluster, it can also work for another one. In that case, returns the other cluster.
 */
export function findCulprit(path: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(path, "latin1");
  } catch {
    // The process died before it opened the file.
    return undefined;
  }
  return text.slice(0, slotBytes).trim() || text.slice(slotBytes).trim() || undefined;
}
