import { Fault } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";

/** The headers that identify the page a request was sent from. */
export interface RequestOrigin {
  readonly method: string;
  /** The value of the X-Cloudwright-Csrf header. */
  readonly csrfHeader: string | undefined;
  readonly origin: string | undefined;
  readonly host: string | undefined;
  readonly secFetchSite: string | undefined;
}

const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Rejects forged cross-site requests from a signed-in browser. Other sites cannot send the custom header without a CORS preflight, which
 * this server never allows. The browser's origin headers are checked too, even for reads. Otherwise, a page on another port of this host
 * could open streams with the user's cookie until no more streams are allowed.
 */
export function requireNotForged(request: RequestOrigin): void {
  requireSameOrigin(request);
  if (safeMethods.has(request.method.toUpperCase())) return;
  if (request.csrfHeader === undefined)
    throw new Fault(apiFaults.csrf, `${request.method} with a session requires the header X-Cloudwright-Csrf`);
}

/** Rejects a request that the browser marks as cross-origin. */
export function requireSameOrigin(request: Pick<RequestOrigin, "origin" | "host" | "secFetchSite">): void {
  const { origin, host, secFetchSite } = request;
  if (secFetchSite !== undefined && secFetchSite !== "same-origin" && secFetchSite !== "none") {
    throw new Fault(apiFaults.csrf, "the request comes from a page on another site");
  }
  if (origin !== undefined && !isOriginOf(origin, host))
    throw new Fault(apiFaults.csrf, "the request comes from a page with another origin");
}

/** Compares an origin with a Host header. The default port is optional: `Host: example.com:443` matches `https://example.com`. */
function isOriginOf(origin: string, host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(origin)) return false;
  const { protocol, host: originHost } = new URL(origin);
  const here = `${protocol}//${host}`;
  return originHost !== "" && URL.canParse(here) && new URL(here).host === originHost;
}
