import { Fault } from "@cloudwright/platform";
import type { Call } from "./authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { createFailureAudit } from "../identity/audit-failures.ts";
import { authenticate, type Credentials } from "../identity/authenticate.ts";
import { sourceNetwork } from "../identity/source-network.ts";
import { createRateLimiter } from "../http/limits.ts";

/** Authenticates callers and limits their request rate. Every endpoint calls it before running a method. */
export interface Gatekeeper {
  admit(credentials: Credentials, source: string, requestId: string): Promise<Call>;
  /** Audits a rejected credential and limits the number of attempts per source address. */
  rejectCredential(code: string, source: string, requestId: string): Promise<void>;
}

export function createGatekeeper(deps: ApiDeps, options: { requestsPerSecond: number }): Gatekeeper {
  const failures = createFailureAudit(deps);
  const limiter = createRateLimiter(deps, { perSecond: options.requestsPerSecond, burst: options.requestsPerSecond * 2 });
  // Agents call more often than users, and a rejected heartbeat can cost an agent its lease.
  const agents = createRateLimiter(deps, { perSecond: options.requestsPerSecond * 10, burst: options.requestsPerSecond * 20 });
  // Unauthenticated requests share one limit per source address.
  const strangers = createRateLimiter(deps, { perSecond: options.requestsPerSecond / 10, burst: options.requestsPerSecond });
  const limit = (admission: ReturnType<typeof limiter.take>): void => {
    if (admission.allowed) return;
    const { retryAfterMs } = admission;
    throw new Fault(apiFaults.rate_limited, "the caller has exceeded the allowed number of requests per second", {
      retryAfterMs,
    });
  };
  const rejectCredential: Gatekeeper["rejectCredential"] = async (code, source, requestId) => {
    limit(strangers.take(sourceNetwork(source)));
    await failures.record({ source, requestId, code });
  };
  return {
    rejectCredential,
    async admit(credentials, source, requestId) {
      try {
        const caller = await authenticate(deps, credentials);
        if (caller === undefined) limit(strangers.take(sourceNetwork(source)));
        else limit((caller.agent === undefined ? limiter : agents).take(caller.userUid));
        return { caller, source, requestId };
      } catch (error) {
        if (error instanceof Fault && (error.kind === "unauthenticated" || error.kind === "denied"))
          await rejectCredential(error.code, source, requestId);
        throw error;
      }
    },
  };
}
