import { StatusError } from "../api/status-error.ts";

/** Counts the requests in progress per cluster and per project. A request is in progress until the client has read its response. */
export interface InFlight {
  /**
   * Runs a request. Rejects with `TooManyRequests` if the cluster or its project has reached its limit of requests or watches. The work
   * must call `hold` with the size of each list before it sends the list, and with the size of each received part of the body. `hold`
   * throws the same error if the unread lists or the bodies exceed their limits.
   */
  run<Result>(
    cluster: { readonly id: string; readonly project?: string },
    isWatch: boolean,
    work: (hold: Hold) => Promise<Result>,
  ): Promise<Result>;
}

export type Hold = (what: "listBytes" | "bodyBytes", bytes: number) => void;

/** Limits of one cluster. All clusters of a project together may use `clustersPerProject` times these limits. */
export interface InFlightLimits {
  readonly requests: number;
  readonly watches: number;
  readonly listBytes: number;
  readonly bodyBytes: number;
  readonly clustersPerProject: number;
}

export function createInFlight(limits: InFlightLimits): InFlight {
  const counts = new Map<string, number>();
  const add = (key: string, amount: number): void => {
    const sum = (counts.get(key) ?? 0) + amount;
    if (sum === 0) counts.delete(key);
    else counts.set(key, sum);
  };
  return {
    async run({ id, project = "" }, isWatch, work) {
      const owners = [
        { key: `cluster ${id}`, times: 1, name: "cluster" },
        { key: `project ${project}`, times: limits.clustersPerProject, name: "project" },
      ];
      const taken: (() => void)[] = [];
      const take = (what: keyof typeof described, amount: number): void => {
        for (const { key, times, name } of owners) {
          const used = counts.get(`${key} ${what}`) ?? 0;
          const limit = limits[what] * times;
          // A list that exceeds the limit on its own is still sent, provided that no other list is unread.
          if (used > 0 && used + amount > limit) throw tooMany(name, what, limit);
        }
        for (const { key } of owners) {
          add(`${key} ${what}`, amount);
          taken.push(() => add(`${key} ${what}`, -amount));
        }
      };
      try {
        take(isWatch ? "watches" : "requests", 1);
        return await work(take);
      } finally {
        for (const release of taken) release();
      }
    },
  };
}

const described = {
  requests: (limit: number): string => `${limit} requests in progress`,
  watches: (limit: number): string => `${limit} watches`,
  listBytes: (limit: number): string => `lists of ${Math.floor(limit / 1024)} KiB that clients have not read`,
  bodyBytes: (limit: number): string => `requests with ${Math.floor(limit / 1024)} KiB in progress`,
};

function tooMany(owner: string, what: keyof typeof described, limit: number): StatusError {
  const message = `the simulated ${owner} already has ${described[what](limit)}; try again later`;
  return new StatusError(429, "TooManyRequests", message, { retryAfterSeconds: 1 });
}
