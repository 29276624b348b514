import type { WorkTrace } from "@cloudwright/simulator";
import { openSync, readFileSync, writeSync } from "node:fs";

/** The fixed size of a record in the file. No cluster id and no uid is longer than this. */
const slotBytes = 80;

/** A trace that also records for which account the process works before it knows the account's clusters. */
export interface ProcessTrace extends WorkTrace {
  /** Records the account whose resources are being read, or undefined afterwards. Meanwhile, no cluster is being loaded. */
  setReading(accountUid: string | undefined): void;
}

/** The cluster or the account that a process was working for when it died. */
export type Culprit = { readonly cluster: string } | { readonly account: string };

/**
 * Creates a trace in a file. The operating system keeps the written data even if the process dies suddenly. A write takes a few
 * microseconds.
 */
export function createWorkTrace(path: string): ProcessTrace {
  const file = openSync(path, "w", 0o600);
  const write = (slot: number, id: string): void => void writeSync(file, id.padEnd(slotBytes), slot * slotBytes);
  for (const slot of [0, 1, 2]) write(slot, "");
  return {
    setRunning: (id = "") => write(0, id),
    setLoading: (id = "") => write(1, id),
    setReading: (accountUid = "") => write(2, accountUid),
  };
}

/**
 * Returns what a process was working for when it died, or undefined if it was working for nothing. While the process loads a cluster or
 * reads an account's resources, it can also work for another cluster. In that case, returns the other cluster.
 */
export function findCulprit(path: string): Culprit | undefined {
  let text: string;
  try {
    text = readFileSync(path, "latin1");
  } catch {
    // The process died before it opened the file.
    return undefined;
  }
  const [running, loading, reading] = [0, 1, 2].map((slot) => text.slice(slot * slotBytes, (slot + 1) * slotBytes).trim());
  const cluster = running || loading;
  if (cluster) return { cluster };
  return reading ? { account: reading } : undefined;
}
