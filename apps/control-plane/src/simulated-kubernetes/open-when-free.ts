import type { ProcessDeps } from "./run-process.ts";

const retryMs = 2000;

/**
 * Opens a host that only one replica serves at a time. Retries while another replica serves it. Returns undefined if the signal is aborted
 * first. `what` names the host in the log.
 */
export async function openWhenFree<Host extends object>(
  { clock, log }: Pick<ProcessDeps, "clock" | "log">,
  what: string,
  open: () => Promise<Host | { readonly refused: string }>,
  signal: AbortSignal,
): Promise<Host | undefined> {
  let isReported = false;
  while (!signal.aborted) {
    try {
      const opened = await open();
      if (!("refused" in opened)) return opened;
      if (!isReported) log.warn({ reason: opened.refused }, `another process serves ${what}; standing by`);
      isReported = true;
    } catch (error) {
      log.warn({ err: error }, `could not serve ${what}; retrying`);
    }
    await clock.sleep(retryMs, signal).catch(() => undefined);
  }
  return undefined;
}
