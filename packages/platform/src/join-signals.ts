/** A signal that aborts as soon as one of several source signals does. */
export interface JoinedSignal {
  /** Undefined if there were no source signals. */
  readonly signal: AbortSignal | undefined;
  /** Detaches the signal from its sources. Without this call, a long-lived source would keep one listener per joined signal. */
  release(): void;
}

/**
 * Creates a signal that aborts as soon as one of the given signals does. It replaces `AbortSignal.any` in code that also runs on Node 20,
 * where the garbage collector can remove the source signals of `AbortSignal.any`. The combined signal then never aborts, so time limits
 * have no effect.
 */
export function joinSignals(signals: readonly (AbortSignal | undefined)[]): JoinedSignal {
  const given = signals.filter((signal) => signal !== undefined);
  if (given.length <= 1) return { signal: given[0], release: () => undefined };
  const joined = new AbortController();
  const listeners = given.map((signal) => ({ signal, abort: () => joined.abort(signal.reason) }));
  for (const { signal, abort } of listeners) {
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  }
  return {
    signal: joined.signal,
    release() {
      for (const { signal, abort } of listeners) signal.removeEventListener("abort", abort);
    },
  };
}
