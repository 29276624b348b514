import { createRateLimiter, sourceNetwork, type Clock } from "@cloudwright/platform";
import { StatusError } from "../api/status-error.ts";

/** Limits on requests without a valid credential from one address: the sustained rate and the size of a burst. */
export interface StrangerLimits {
  readonly perSecond: number;
  readonly burst: number;
}

/** Limits how many requests without a valid credential each remote address, or each IPv6 /64 network, can send. */
export interface Strangers {
  /** Counts a request. Throws `TooManyRequests` if the address has sent too many. */
  count(source: string): void;
}

export function createStrangers(deps: { readonly clock: Clock }, limits: StrangerLimits): Strangers {
  const limiter = createRateLimiter(deps, limits);
  return {
    count(source) {
      const admission = limiter.take(sourceNetwork(source));
      if (admission.allowed) return;
      const message = "too many requests without a valid credential were sent from this address; try again later";
      const retryAfterSeconds = Math.ceil(admission.retryAfterMs / 1000);
      throw new StatusError(429, "TooManyRequests", message, { retryAfterSeconds });
    },
  };
}
