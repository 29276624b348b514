import { createHash } from "node:crypto";
import { Fault } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";

/** Where a page ended, bound to the query that it answered. */
interface PageEnd {
  readonly value: string;
  readonly uid: string;
}

/** Renders a token for the next page. `question` contains everything that shapes the list. */
export function renderPageToken(question: string, end: PageEnd): string {
  return Buffer.from(JSON.stringify([digest(question), end.value, end.uid])).toString("base64url");
}

/** Parses a token. Throws if it belongs to another list or is malformed. */
export function parsePageToken(question: string, token: string): PageEnd | undefined {
  if (token === "") return undefined;
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    if (
      Array.isArray(parts) &&
      parts.length === 3 &&
      parts.every((part) => typeof part === "string") &&
      parts[0] === digest(question)
    ) {
      return { value: parts[1] as string, uid: parts[2] as string };
    }
  } catch {
    // Falls through to the same answer for every invalid token.
  }
  throw new Fault(apiFaults.bad_page_token, "pageToken does not belong to this list");
}

function digest(question: string): string {
  return createHash("sha256").update(question).digest("base64url").slice(0, 12);
}
