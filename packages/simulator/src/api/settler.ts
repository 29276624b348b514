import { describeError, type Clock } from "@cloudwright/platform";

/** Completes accepted deletions in the background, even if no further request arrives. */
export interface Settler {
  /** Calls `settle` for a tenant at the given time. An earlier time replaces a later one. */
  wake(tenant: string, atMs: number, settle: () => Promise<number | undefined>): void;
  stop(): void;
}

/** Creates a settler. A failed attempt is repeated with the tenant's next request. */
export function createSettler(deps: { readonly clock: Clock; readonly onTrouble: (message: string) => void }): Settler {
  const { clock, onTrouble } = deps;
  const due = new Map<string, { readonly atMs: number; readonly stop: AbortController }>();
  const wake: Settler["wake"] = (tenant, atMs, settle) => {
    const known = due.get(tenant);
    if (known !== undefined && known.atMs <= atMs) return;
    known?.stop.abort();
    const stop = new AbortController();
    const entry = { atMs, stop };
    due.set(tenant, entry);
    const run = async (): Promise<void> => {
      try {
        await clock.sleep(Math.max(0, atMs - clock.now()) + 1, stop.signal);
      } catch {
        return;
      }
      if (due.get(tenant) === entry) due.delete(tenant);
      const next = await settle();
      if (next !== undefined && !stop.signal.aborted) wake(tenant, next, settle);
    };
    void run().catch((error: unknown) => onTrouble(`could not complete deletions: ${describeError(error)}`));
  };
  return {
    wake,
    stop() {
      for (const { stop } of due.values()) stop.abort();
      due.clear();
    },
  };
}
