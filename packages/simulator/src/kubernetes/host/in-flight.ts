import { StatusError } from "../api/status-error.ts";

/** Counts the requests in progress per cluster. */
export interface InFlight {
  /** Runs a request. Rejects with `TooManyRequests` if the cluster already has as many requests or watches as allowed. */
  run<Result>(cluster: string, isWatch: boolean, work: () => Promise<Result>): Promise<Result>;
}

export function createInFlight(limits: { readonly requests: number; readonly watches: number }): InFlight {
  const counts = new Map<string, number>();
  return {
    async run(cluster, isWatch, work) {
      const key = `${cluster} ${isWatch ? "watches" : "requests"}`;
      const limit = isWatch ? limits.watches : limits.requests;
      const count = counts.get(key) ?? 0;
      if (count >= limit) {
        const message = `the simulated cluster already has ${limit} ${isWatch ? "watches" : "requests in progress"}; try again later`;
        throw new StatusError(429, "TooManyRequests", message, { retryAfterSeconds: 1 });
      }
      counts.set(key, count + 1);
      try {
        return await work();
      } finally {
        const left = (counts.get(key) ?? 1) - 1;
        if (left === 0) counts.delete(key);
        else counts.set(key, left);
      }
    },
  };
}
