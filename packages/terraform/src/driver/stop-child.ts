import type { Clock } from "@cloudwright/platform";
import { signalGroup } from "./signal-group.ts";
import type { RunningChild } from "./spawn.ts";

/** How a running program is stopped. */
export interface Stopping {
  readonly signal: AbortSignal | undefined;
  /**
   * `spawner` if the code that starts programs also stops them, as an agent does. In that case, the driver must not send a signal, because
   * a second SIGINT makes Terraform exit without writing its state.
   */
  readonly stoppedBy: "driver" | "spawner";
  /** Time between SIGINT and SIGKILL. */
  readonly graceMs: number;
}

/**
 * Stops a child process when the signal is aborted: sends SIGINT to its process group, then SIGKILL after the grace period. Call the
 * returned function when the process has exited.
 */
export function stopOnAbort(deps: { clock: Clock }, child: RunningChild, stopping: Stopping): () => void {
  const { signal, stoppedBy, graceMs } = stopping;
  const over = new AbortController();
  if (signal === undefined || stoppedBy === "spawner") return () => undefined;
  const stop = (): void => {
    if (over.signal.aborted) return;
    signalGroup(child.pid, "SIGINT");
    deps.clock.sleep(graceMs, over.signal).then(
      () => signalGroup(child.pid, "SIGKILL"),
      () => undefined,
    );
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return () => {
    signal.removeEventListener("abort", stop);
    over.abort(new Error("it ended"));
  };
}
