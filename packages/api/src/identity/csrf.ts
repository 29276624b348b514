import { Fault } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";

/** What a request says about the page it comes from. */
export interface RequestOrigin {
  readonly method: string;
  /** Value of X-Cloudwright-Csrf. */
  readonly csrfHeader: string | undefined;
  readonly origin: string | undefined;
  readonly host: string | undefined;
  readonly secFetchSite: string | undefined;
}

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Rejects requests that another site makes a signed-in browser send. A custom header cannot be sent across origins without a CORS
 * preflight, which this server never answers. The browser's origin headers must not contradict it.
 * Reads are rejected too: a page on another port of this host is sent our cookie. It cannot see the answer, but could open
 * streams until none are left.
 */
export function requireNotForged(request: RequestOrigin): void {
  requireSameOrigin(request);
  if (safeMethods.has(request.method.toUpperCase())) return;
  if (request.csrfHeader === undefined)
    throw new Fault(apiFaults.csrf, `${request.method} with a session requires the header X-Cloudwright-Csrf`);
}

/** Rejects a request that the browser marks as coming from a page of another origin. */
export function requireSameOrigin(request: Pick<RequestOrigin, "origin" | "host" | "secFetchSite">): void {
  const { origin, host, secFetchSite } = request;
  if (secFetchSite !== undefined && secFetchSite !== "same-origin" && secFetchSite !== "none") {
    throw new Fault(apiFaults.csrf, "the request comes from a page of another site");
  }
  if (origin !== undefined && !isOriginOf(origin, host))
    throw new Fault(apiFaults.csrf, "the request comes from a page of another origin");
}

/**
 * Compares an origin with a host, considering the default port of its scheme: `Host: example.com:443` matches
 * `https://example.com`.
 */
function isOriginOf(origin: string, host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(origin)) return false;
  const { protocol, host: originHost } = new URL(origin);
  const here = `${protocol}//${host}`;
  return originHost !== "" && URL.canParse(here) && new URL(here).host === originHost;
}
