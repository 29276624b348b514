import type { CallBudget } from "@cloudwright/clouds";

/** Creates a budget that limits the number of concurrent calls. Additional calls wait in the order in which they were requested. */
export function createCallBudget(parallelism: number): CallBudget {
  let free = Math.max(1, parallelism);
  const waiting: (() => void)[] = [];
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async take(_call, signal) {
      signal?.throwIfAborted();
      if (free > 0) free -= 1;
      else await waitForTurn(waiting, signal);
      let isReleased = false;
      return () => {
        if (!isReleased) release();
        isReleased = true;
      };
    },
  };
}

async function waitForTurn(waiting: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      waiting.splice(waiting.indexOf(start), 1);
      reject(signal?.reason as Error);
    };
    const start = (): void => {
      signal?.removeEventListener("abort", abort);
      resolve();
    };
    waiting.push(start);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
