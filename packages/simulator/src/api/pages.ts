import { createHmac, timingSafeEqual } from "node:crypto";
import type { ApiIdentity } from "./identity.ts";

/** One page of a list, and the token for the next page. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** The page that a caller requests. */
export interface PageRequest {
  readonly size: number;
  readonly token: string;
  /** The rest of the request. A token is valid only for the request that it was issued for. */
  readonly query: unknown;
}

/**
 * Returns one page of a list. The token contains the key of the last item on the previous page. A page therefore neither repeats nor skips
 * items, even if other items are created or deleted between requests. Returns undefined if the token was not issued for this request.
 */
export function takePage<Item>(
  identity: Pick<ApiIdentity, "deriveKey">,
  items: readonly Item[],
  keyOf: (item: Item) => string,
  { size, token, query }: PageRequest,
): Page<Item> | undefined {
  const sign = (after: string): Buffer =>
    createHmac("sha256", identity.deriveKey("page"))
      .update(JSON.stringify([after, query]))
      .digest()
      .subarray(0, 16);
  const render = (after: string): string => Buffer.concat([sign(after), Buffer.from(after)]).toString("base64url");
  const ordered = items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  let rest = ordered;
  if (token !== "") {
    const bytes = Buffer.from(token, "base64url");
    const after = bytes.subarray(16).toString("utf8");
    if (bytes.length < 17 || !timingSafeEqual(bytes.subarray(0, 16), sign(after))) return undefined;
    rest = ordered.filter((item) => keyOf(item) > after);
  }
  const page = rest.slice(0, Math.min(size, countWithin(rest, pageBytes)));
  const last = page.at(-1);
  return { items: page, ...(rest.length > page.length && last !== undefined ? { next: render(keyOf(last)) } : {}) };
}

/** A page ends early when the total size of its items exceeds this limit. Every page has at least one item. */
const pageBytes = 1024 * 1024;

function countWithin(items: readonly unknown[], mostBytes: number): number {
  let bytes = 0;
  const end = items.findIndex((item, index) => (bytes += (JSON.stringify(item) ?? "").length) > mostBytes && index > 0);
  return end < 0 ? items.length : end;
}
