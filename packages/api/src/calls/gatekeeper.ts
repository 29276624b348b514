import { createRateLimiter, Fault } from "@cloudwright/platform";
import type { Call } from "./authorise.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { createFailureAudit } from "../identity/audit-failures.ts";
import { authenticate, recognises, type Credentials } from "../identity/authenticate.ts";
import { createCredentialLookups } from "../identity/credential-lookups.ts";
import { isRunPassword } from "../identity/run-password.ts";

/** Authenticates callers and limits their request rate. Every endpoint calls it before running a method. */
export interface Gatekeeper {
  admit(credentials: Credentials, source: string, requestId: string): Promise<Call>;
  /**
   * Rate-limits and audits the lookup of a credential that is not passed to `admit`, such as a session cookie. `find` throws if the
   * credential is not valid.
   */
  lookUp<Found>(credential: string, from: Origin, find: () => Promise<Found>): Promise<Found>;
  /**
   * Uses `find` to look up a run's credential. Returns undefined if the request contains no such credential, or if `find` returns
   * undefined. Both cases are audited and rate-limited per source address.
   */
  lookUpRun<Found>(sent: SentRun | undefined, from: Origin, find: () => Promise<Found | undefined>): Promise<Found | undefined>;
  /** Returns, without a lookup, whether a run's credential was accepted recently or was issued by this platform. */
  isIssuedRun(sent: SentRun | undefined): boolean;
  /** Audits a rejected credential and limits the number of attempts per source address. */
  rejectCredential(code: string, source: string, requestId: string): Promise<void>;
}

/** Where a request came from. */
export interface Origin {
  readonly source: string;
  readonly requestId: string;
}

/** The credential that a run sent. */
export interface SentRun {
  readonly taskUid: string;
  readonly password: string;
}

export function createGatekeeper(deps: ApiDeps, options: { requestsPerSecond: number }): Gatekeeper {
  const failures = createFailureAudit(deps);
  const limiter = createRateLimiter(deps, { perSecond: options.requestsPerSecond, burst: options.requestsPerSecond * 2 });
  // Agents call more often than users, and a rejected heartbeat can cost an agent its lease.
  const agents = createRateLimiter(deps, { perSecond: options.requestsPerSecond * 10, burst: options.requestsPerSecond * 20 });
  const lookups = createCredentialLookups(deps, options);
  const limit = (admission: ReturnType<typeof limiter.take>): void => {
    if (admission.allowed) return;
    const { retryAfterMs } = admission;
    throw new Fault(apiFaults.rate_limited, "the caller has exceeded the allowed number of requests per second", {
      retryAfterMs,
    });
  };
  const audit = async <Result>({ source, requestId }: Origin, lookup: () => Promise<Result>): Promise<Result> => {
    try {
      return await lookup();
    } catch (error) {
      if (error instanceof Fault && (error.kind === "unauthenticated" || error.kind === "denied"))
        await failures.record({ source, requestId, code: error.code });
      throw error;
    }
  };
  const isIssued = ({ taskUid, password }: SentRun): boolean => isRunPassword(deps.keyRing, taskUid, password);
  return {
    async rejectCredential(code, source, requestId) {
      lookups.countStranger(source);
      await failures.record({ source, requestId, code });
    },
    lookUp: (credential, from, find) =>
      audit(from, async () => (await lookups.run(credential, from.source, find)) as Awaited<ReturnType<typeof find>>),
    async lookUpRun(sent, from, find) {
      if (sent === undefined) lookups.countStranger(from.source);
      const found = sent && (await lookups.run(keyOf(sent), from.source, find, () => isIssued(sent)));
      if (found === undefined) await failures.record({ ...from, code: apiFaults.run_ended.code });
      return found;
    },
    isIssuedRun: (sent) => sent !== undefined && (lookups.isKnown(keyOf(sent)) || isIssued(sent)),
    async admit(credentials, source, requestId) {
      const { authorization, cookie } = credentials;
      const credential = authorization ?? cookie;
      if (credential === undefined) {
        lookups.countStranger(source);
        return { caller: undefined, source, requestId };
      }
      const find = (): ReturnType<typeof authenticate> => authenticate(deps, credentials);
      const caller = await audit({ source, requestId }, () =>
        lookups.run(credential, source, find, () => recognises(deps, credentials)),
      );
      if (caller !== undefined) limit((caller.agent === undefined ? limiter : agents).take(caller.userUid));
      return { caller, source, requestId };
    },
  };
}

function keyOf({ taskUid, password }: SentRun): string {
  return `${taskUid}:${password}`;
}
