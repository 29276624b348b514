import type { Logger, Shutdown } from "@cloudwright/platform";

/** Exits the process if shutdown takes longer than the limit. Closing connections to an unresponsive database can hang forever. */
export function boundShutdown(
  deps: { readonly log: Logger; readonly shutdown: Pick<Shutdown, "signal">; readonly exit: (code: number) => void },
  mostMs: number,
): void {
  const { log, shutdown, exit } = deps;
  const giveUp = (): void => {
    log.error({ mostMs }, "shutdown took too long; leases and locks will expire");
    exit(1);
  };
  shutdown.signal.addEventListener("abort", () => void setTimeout(giveUp, mostMs).unref(), { once: true });
}
