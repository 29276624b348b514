import { createHash } from "node:crypto";
import { createRateLimiter, sourceNetwork, type Clock } from "@cloudwright/platform";
import { ApiError, AuthError } from "./api-error.ts";

/** Limits how many requests without a valid credential each source address can send. */
export interface Strangers {
  /**
   * Authenticates a request. A request that is rejected counts against the limit of its source address. A credential that was accepted
   * from the same address before has a separate limit, so that unauthenticated callers at that address cannot lock out its holder. `act`
   * receives the name of the limit that applies.
   */
  authenticate<Result>(
    request: { readonly source: string; readonly credential: string },
    act: (sender: string) => Promise<Result>,
  ): Promise<Result>;
}

/** Limits on failed requests from one address: the sustained rate and the size of a burst. */
export interface StrangerLimits {
  readonly perSecond: number;
  readonly burst: number;
}

const mostKnown = 10_000;

export function createStrangers(deps: { readonly clock: Clock }, limits: StrangerLimits): Strangers {
  const limiter = createRateLimiter(deps, limits);
  const known = new Set<string>();
  return {
    async authenticate({ source, credential }, act) {
      const network = sourceNetwork(source);
      const own = `${network} ${createHash("sha256").update(credential).digest("base64")}`;
      const key = known.has(own) ? own : network;
      if (!limiter.take(key).allowed) {
        const message = "Too many requests without a valid credential were sent from this address.";
        throw new ApiError({ code: "", message, status: 429 });
      }
      try {
        const result = await act(key);
        limiter.restore(key);
        if (credential !== "") {
          if (known.size >= mostKnown) known.clear();
          known.add(own);
        }
        return result;
      } catch (error) {
        // Errors of authenticated callers and internal errors do not count against the limit.
        if (isRejection(error)) known.delete(own);
        else limiter.restore(key);
        throw error;
      }
    },
  };
}

function isRejection(error: unknown): boolean {
  return error instanceof AuthError || (error instanceof ApiError && [401, 403].includes(error.refusal.status ?? 0));
}
