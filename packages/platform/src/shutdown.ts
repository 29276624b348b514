import type { Logger } from "./log.ts";

/** Runs the registered close functions once, in reverse order of registration, even if one of them fails. */
export interface Shutdown {
  /** Aborted as soon as shutdown starts. */
  readonly signal: AbortSignal;
  onClose(name: string, close: () => Promise<void> | void): void;
  close(reason: string): Promise<void>;
}

/** Creates a `Shutdown`. If `signals` is true, SIGINT or SIGTERM starts it, and a second signal exits the process immediately. */
export function createShutdown(deps: { log: Logger }, options: { signals?: boolean } = {}): Shutdown {
  const controller = new AbortController();
  const closers: { name: string; close: () => Promise<void> | void }[] = [];
  let closing: Promise<void> | undefined;

  const run = async (reason: string): Promise<void> => {
    deps.log.info({ reason }, "shutting down");
    controller.abort(new Error(reason));
    for (const closer of closers.toReversed()) {
      try {
        await closer.close();
      } catch (error) {
        deps.log.error({ err: error, closer: closer.name }, "could not close");
      }
    }
  };
  const shutdown: Shutdown = {
    signal: controller.signal,
    onClose: (name, close) => void closers.push({ name, close }),
    close: (reason) => (closing ??= run(reason)),
  };
  if (options.signals === true) {
    for (const name of ["SIGINT", "SIGTERM"] as const) {
      process.on(name, () => {
        if (closing !== undefined) process.exit(130);
        void shutdown.close(name).then(() => process.exit(0));
      });
    }
  }
  return shutdown;
}
