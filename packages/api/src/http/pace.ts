/** Processes large requests one at a time, so that the server can do other work in between. */
export type Pace = () => Promise<void>;

/**
 * Creates the `Pace` for one server. Each turn of the event loop resolves one call, in the order in which the calls were made. Otherwise,
 * the server would process all large requests that arrive together before it serves anything else.
 */
export function createPace(): Pace {
  const waiting: (() => void)[] = [];
  const proceed = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(proceed);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(proceed);
    });
}

/** Requests up to this size take less than a millisecond, so they are not paced. */
export const pacedBytes = 32 * 1024;
