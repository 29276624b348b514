import { Fault } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";

const name = "cloudwright_session";

/** The session's token from a Cookie header; undefined when there is none. */
export function readSessionCookie(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const pairs = header.split(";").map((pair) => pair.trim());
  const values = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  const [value] = values;
  if (value === undefined) return undefined;
  // A second cookie of the name can only have been planted from a sibling domain; which of the two came first means nothing.
  if (values.length > 1) throw new Fault(apiFaults.unauthenticated, "the request carries more than one session cookie");
  if (!/^[A-Za-z0-9_-]{43}$/.test(value)) throw new Fault(apiFaults.unauthenticated, "the session cookie is malformed");
  return value;
}

/** The Set-Cookie header that hands a session to a browser: no script reads it, no other site sends it. */
export function renderSessionCookie(token: string, options: { maxAgeSeconds: number; secure: boolean }): string {
  const secure = options.secure ? "; Secure" : "";
  return `${name}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${options.maxAgeSeconds}${secure}`;
}

/** The Set-Cookie header that makes a browser forget its session. */
export function renderClearedCookie(options: { secure: boolean }): string {
  return renderSessionCookie("", { maxAgeSeconds: 0, secure: options.secure });
}
