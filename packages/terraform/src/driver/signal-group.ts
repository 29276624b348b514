/** Sends a signal to a process group. Does nothing if the group no longer exists. */
export function signalGroup(pid: number, name: "SIGINT" | "SIGKILL"): void {
  try {
    process.kill(-pid, name);
  } catch {
    // The group has already exited.
  }
}
