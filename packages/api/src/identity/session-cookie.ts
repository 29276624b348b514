import { Fault } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";

const name = "cloudwright_session";

/** Returns the session token from a Cookie header, or undefined if there is none. */
export function readSessionCookie(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const pairs = header.split(";").map((pair) => pair.trim());
  const values = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  const [value] = values;
  if (value === undefined) return undefined;
  // A second cookie of this name can only come from a sibling domain. The order of the cookies does not reveal which one is genuine.
  if (values.length > 1) throw new Fault(apiFaults.unauthenticated, "the request carries more than one session cookie");
  if (!/^[A-Za-z0-9_-]{43}$/.test(value)) throw new Fault(apiFaults.unauthenticated, "the session cookie is malformed");
  return value;
}

/** Renders the Set-Cookie header for a session. Scripts cannot read the cookie, and other sites cannot make the browser send it. */
export function renderSessionCookie(token: string, options: { maxAgeSeconds: number; secure: boolean }): string {
  const secure = options.secure ? "; Secure" : "";
  return `${name}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${options.maxAgeSeconds}${secure}`;
}

/** Renders the Set-Cookie header that deletes the session cookie. */
export function renderClearedCookie(options: { secure: boolean }): string {
  return renderSessionCookie("", { maxAgeSeconds: 0, secure: options.secure });
}
