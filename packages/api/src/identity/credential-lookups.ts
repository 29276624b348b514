import { type Clock, createRateLimiter, Fault, sourceNetwork } from "@cloudwright/platform";
import { createCallerTurns } from "../calls/caller-turns.ts";
import { apiFaults } from "../faults.ts";
import { hashCredential } from "./api-keys.ts";

/** Limits the database lookups that check credentials. */
export interface CredentialLookups {
  /**
   * Runs `find`, which looks up a credential. `find` returns undefined or throws an `unauthenticated` fault if the credential is not valid.
   * `isIssued` returns, without a lookup, whether this platform issued the credential.
   */
  run<Found>(
    credential: string,
    source: string,
    find: () => Promise<Found | undefined>,
    isIssued?: () => boolean | Promise<boolean>,
  ): Promise<Found | undefined>;
  /** Returns whether a lookup accepted this credential recently. */
  isKnown(credential: string): boolean;
  /** Counts a request without a valid credential. Throws if its source has sent too many. */
  countStranger(source: string): void;
}

/** Per-source limits on lookups of unknown credentials. They keep most database connections free for other requests. */
const strangerLimits = { running: 4, waiting: 1000 };
/** Limits for lookups of one credential that was accepted before or that this platform issued. */
const knownLimits = { running: 64, waiting: 1000 };
const knownForMs = 3_600_000;
const maxKnown = 10_000;

/**
 * Creates the limiter for one server. A credential that was accepted recently, or that has a valid signature from this platform or a known
 * agent, has its own limit. All other credentials share the limits of their source network, which are checked before the lookup. An
 * attacker can therefore neither overload the database nor lock out legitimate clients at the same address.
 */
export function createCredentialLookups(
  deps: { readonly clock: Clock },
  options: { requestsPerSecond: number },
): CredentialLookups {
  const strangers = createRateLimiter(deps, { perSecond: options.requestsPerSecond / 10, burst: options.requestsPerSecond });
  const strangerTurns = createCallerTurns({ ...strangerLimits, describe: describeSource });
  const knownTurns = createCallerTurns(knownLimits);
  /** The time at which each credential was last accepted, keyed by credential, oldest first. */
  const known = new Map<string, number>();

  const remember = (key: string): void => {
    known.delete(key);
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size >= maxKnown) known.delete(oldest);
    known.set(key, deps.clock.now());
  };
  const has = (key: string): boolean => deps.clock.now() - (known.get(key) ?? Number.NEGATIVE_INFINITY) < knownForMs;
  const countStranger = (source: string): void => {
    const admission = strangers.take(sourceNetwork(source));
    if (admission.allowed) return;
    const { retryAfterMs } = admission;
    throw new Fault(apiFaults.rate_limited, "this address has sent too many requests without a valid credential", {
      retryAfterMs,
    });
  };

  /** Looks up the credential of a known client. Only a rejected credential is treated as unknown. */
  const findKnown = async <Found>(key: string, source: string, find: () => Promise<Found | undefined>) => {
    const forget = (): void => {
      known.delete(key);
      countStranger(source);
    };
    try {
      const found = await knownTurns.run(key, find);
      if (found === undefined) forget();
      else remember(key);
      return found;
    } catch (error) {
      if (isRejection(error)) forget();
      throw error;
    }
  };

  /**
   * Looks up an unknown credential. The attempt counts against the source before the lookup and is refunded unless the credential is
   * rejected.
   */
  const findStranger = async <Found>(key: string, source: string, find: () => Promise<Found | undefined>) => {
    countStranger(source);
    const network = sourceNetwork(source);
    let isRejected = false;
    try {
      const found = await strangerTurns.run(network, find);
      isRejected = found === undefined;
      if (!isRejected) remember(key);
      return found;
    } catch (error) {
      isRejected = isRejection(error);
      throw error;
    } finally {
      if (!isRejected) strangers.restore(network);
    }
  };

  return {
    async run(credential, source, find, isIssued = () => false) {
      const key = keyOf(credential);
      const isKnown = has(key) || (await isIssued());
      return isKnown ? findKnown(key, source, find) : findStranger(key, source, find);
    },
    isKnown: (credential) => has(keyOf(credential)),
    countStranger,
  };
}

function keyOf(credential: string): string {
  return hashCredential(credential).toString("base64");
}

function isRejection(error: unknown): boolean {
  return error instanceof Fault && (error.kind === "unauthenticated" || error.kind === "denied");
}

function describeSource(network: string, requests: number): string {
  return `the server is already checking ${requests} unknown credentials from ${network}`;
}
