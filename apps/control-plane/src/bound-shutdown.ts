import type { Logger, Shutdown } from "@cloudwright/platform";

/** Ends the process when it does not end by itself: a database that is frozen keeps whoever says goodbye to it waiting for ever. */
export function boundShutdown(
  deps: { readonly log: Logger; readonly shutdown: Pick<Shutdown, "signal">; readonly exit: (code: number) => void },
  mostMs: number,
): void {
  const { log, shutdown, exit } = deps;
  const giveUp = (): void => {
    log.error({ mostMs }, "could not stop in order in time; leases and locks run out by themselves");
    exit(1);
  };
  shutdown.signal.addEventListener("abort", () => void setTimeout(giveUp, mostMs).unref(), { once: true });
}
