import type { Clock } from "@cloudwright/platform";
import { signalGroup } from "./signal-group.ts";
import type { RunningChild } from "./spawn.ts";

/** Who ends a program that is to stop. */
export interface Stopping {
  readonly signal: AbortSignal | undefined;
  /**
   * `spawner` where whoever starts programs also ends them, as an agent does with its tasks: a second SIGINT would make Terraform
   * leave at once, without writing its state.
   */
  readonly stoppedBy: "driver" | "spawner";
  /** Time between SIGINT and SIGKILL. */
  readonly graceMs: number;
}

/** Ends a child when the signal is aborted: SIGINT to its whole group, and SIGKILL when it takes too long. Call the answer at its end. */
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
