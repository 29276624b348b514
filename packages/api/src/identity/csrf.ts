import { Fault } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";

/** What a request says of the page it comes from. */
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
 * Refuses what another site makes a signed-in browser ask for. A header of our own cannot be sent across origins without a preflight,
 * which nobody here answers; what the browser itself says of the origin must not contradict it. Reading is refused too: a page of another
 * port of this host is sent our cookie, cannot see the answer, but could have streams opened until there are no more.
 */
export function requireNotForged(request: RequestOrigin): void {
  requireSameOrigin(request);
  if (safeMethods.has(request.method.toUpperCase())) return;
  if (request.csrfHeader === undefined)
    throw new Fault(apiFaults.csrf, `${request.method} with a session needs the header X-Cloudwright-Csrf`);
}

/** Refuses a request that a browser marks as coming from a page of another origin. */
export function requireSameOrigin(request: Pick<RequestOrigin, "origin" | "host" | "secFetchSite">): void {
  const { origin, host, secFetchSite } = request;
  if (secFetchSite !== undefined && secFetchSite !== "same-origin" && secFetchSite !== "none") {
    throw new Fault(apiFaults.csrf, "the request comes from a page of another site");
  }
  if (origin !== undefined && !isOriginOf(origin, host))
    throw new Fault(apiFaults.csrf, "the request comes from a page of another origin");
}

/** Compares as the origin's scheme sees it: `Host: example.com:443` is where `https://example.com` is. */
function isOriginOf(origin: string, host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(origin)) return false;
  const { protocol, host: originHost } = new URL(origin);
  const here = `${protocol}//${host}`;
  return originHost !== "" && URL.canParse(here) && new URL(here).host === originHost;
}
