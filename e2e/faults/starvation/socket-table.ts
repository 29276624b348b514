import { readFileSync } from "node:fs";

const states: Readonly<Record<string, string>> = { "04": "FIN-WAIT-1", "05": "FIN-WAIT-2", "08": "CLOSE-WAIT", "0B": "CLOSING" };

/**
 * Returns the states of a server's half-closed sockets, keyed by peer address. Reads /proc, so it works on Linux only. Sockets without an
 * inode are omitted: the server has closed them, and the kernel waits up to a minute for the peer.
 */
export function listHalfClosed(port: number): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of readFileSync("/proc/net/tcp", "utf8").split("\n").slice(1)) {
    const [, local = "", peer = "", state = "", , , , , , inode] = line.trim().split(/\s+/);
    const name = states[state];
    if (name !== undefined && inode !== "0" && Number.parseInt(local.split(":")[1] ?? "", 16) === port) found.set(peer, name);
  }
  return found;
}

/** Returns the resident memory of a process in MiB, or 0 if it has ended. */
export function readMemoryMiB(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
