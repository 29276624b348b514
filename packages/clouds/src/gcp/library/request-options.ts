import { joinSignals } from "@cloudwright/platform/join-signals";
import { spreadMs } from "@cloudwright/platform/back-off";
import type { gaxios } from "google-auth-library";
import type { CallBudget, LibraryClock } from "../../library/call-options.ts";
import type { GcpCall } from "../api.ts";
import { attemptMs } from "../auth-library.ts";
import { isPassing, malformed } from "../errors.ts";

export interface RequestSettings {
  readonly clock: LibraryClock;
  readonly budget?: CallBudget | undefined;
  readonly maxAttempts: number;
}

const methods = ["GET", "POST", "PUT", "DELETE"];

/**
 * Returns the options of a request. Every attempt waits for the budget and can be cancelled, and Google's library retries with its own
 * back-off. Methods that create something are retried too. If the first request succeeded and only its response was lost, the name or the
 * request ID makes the second one fail or do nothing.
 */
export function renderOptions({ clock, budget, maxAttempts }: RequestSettings, call: GcpCall): gaxios.GaxiosOptions {
  const { service, action = "", method = "GET", signal } = call;
  let attempt = 0;
  return {
    responseType: "json",
    // The adapter sets the time limit, because the library drops the caller's signal when an attempt times out.
    timeout: 0,
    async adapter(config, send) {
      attempt += 1;
      const end = await budget?.take({ service, action, isMutating: method !== "GET", attempt }, signal);
      const joined = joinSignals([signal, AbortSignal.timeout(attemptMs)]);
      try {
        signal?.throwIfAborted();
        const response = await send({ ...config, signal: joined.signal as AbortSignal });
        if (response.ok && (typeof response.data !== "object" || response.data === null)) throw new MalformedResponse();
        return response;
      } finally {
        joined.release();
        end?.();
      }
    },
    retryConfig: {
      retry: maxAttempts - 1,
      httpMethodsToRetry: methods,
      shouldRetry: (error) => signal?.aborted !== true && attempt < maxAttempts && isPassing(error),
      retryBackoff: (_error, delayMs) => clock.sleep(spreadMs(delayMs), signal),
    },
  };
}

class MalformedResponse extends Error {
  readonly code = malformed;
  constructor() {
    super("the response is not a JSON object");
  }
}
