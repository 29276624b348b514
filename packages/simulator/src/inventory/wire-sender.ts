import { backOffMs, Fault, spreadMs, systemClock, type Clock, type Secret } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";

/**
 * Settings with which a run reaches the control plane's simulated clouds. The run authenticates with the credentials of its Terraform
 * state.
 */
export interface WireOptions {
  /** URL of the server, or of the run's state on the server. */
  readonly address: string;
  readonly username: string;
  readonly password: Secret;
  readonly fetch?: typeof globalThis.fetch;
  readonly clock?: Clock;
  /** Aborted when no caller needs the responses anymore. */
  readonly signal?: AbortSignal;
}

/** A response from the control plane, and the time at which its request was sent. */
export interface WireAnswer {
  readonly body: unknown;
  readonly sentAtMs: number;
}

/** Posts a JSON body to a path relative to the URL of a tenant's cloud. */
export type SendWire = (tenant: string, path: string, question: string) => Promise<WireAnswer>;

const giveUpAfterMs = 60_000;
const attemptMs = 20_000;
const backOff = { firstMs: 50, longestMs: 5_000 };

/** Creates a sender that retries until the control plane gives a final response, and throws a fault after one minute. */
export function createWireSender(options: WireOptions): SendWire {
  const { fetch = globalThis.fetch, clock = systemClock, signal } = options;
  const base = options.address.replace(/\/(v1\/states\/[^/]+)?$/, "");
  const authorization = `Basic ${Buffer.from(`${options.username}:${options.password.reveal()}`).toString("base64")}`;

  const attempt = async (url: string, body: string): Promise<Outcome> => {
    try {
      const timeout = AbortSignal.timeout(attemptMs);
      const response = await fetch(url, {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body,
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      });
      return await readOutcome(response);
    } catch (error) {
      signal?.throwIfAborted();
      return { again: true, afterMs: 0, why: `the control plane did not respond: ${describe(error)}` };
    }
  };

  return async (tenant, path, question) => {
    const url = `${base}/v1/simulator/${encodeURIComponent(tenant)}/${path}`;
    const startedMs = clock.now();
    for (let tries = 0; ; tries += 1) {
      signal?.throwIfAborted();
      const sentAtMs = clock.now();
      const outcome = await attempt(url, question);
      if ("body" in outcome) return { ...outcome, sentAtMs };
      if (!outcome.again) throw new Fault(simulatorFaults[outcome.reason], outcome.why);
      if (clock.now() - startedMs > giveUpAfterMs) throw new Fault(simulatorFaults.door_unavailable, outcome.why);
      const pauseMs = spreadMs(backOffMs(backOff, tries));
      await clock.sleep(Math.max(pauseMs, outcome.afterMs), signal);
    }
  };
}

type Outcome =
  | { readonly body: unknown }
  | { readonly again: true; readonly afterMs: number; readonly why: string }
  | { readonly again: false; readonly reason: "door_closed" | "door_refused"; readonly why: string };

async function readOutcome(response: Response): Promise<Outcome> {
  const { status, headers } = response;
  if (status === 200) return { body: await response.json() };
  const text = await response.text();
  const why = `the control plane responded with ${status} ${codeOf(text)}`;
  if (status === 401) return { again: false, reason: "door_closed", why };
  if (status !== 429 && status < 500) return { again: false, reason: "door_refused", why };
  return { again: true, afterMs: 1000 * (Number(headers.get("retry-after")) || 0), why };
}

function codeOf(text: string): string {
  try {
    return (JSON.parse(text) as { code?: string }).code ?? "";
  } catch {
    return "";
  }
}

/** Returns the underlying cause of a failed request. The cause is more specific than "fetch failed" and does not quote the request. */
function describe(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string };
  return cause?.code ?? cause?.message ?? message ?? "no reason given";
}
