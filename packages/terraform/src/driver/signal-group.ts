/** Sends a signal to a process group; one that is gone already is as good. */
export function signalGroup(pid: number, name: "SIGINT" | "SIGKILL"): void {
  try {
    process.kill(-pid, name);
  } catch {
    // It ended in the meantime.
  }
}
