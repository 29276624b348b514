import { createHash } from "node:crypto";
import { Fault } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";

/** The last row of a page: its sort value and its uid. */
interface PageEnd {
  readonly value: string;
  readonly uid: string;
}

/** Renders the token for the next page. `question` identifies the list by its filters and sort order. */
export function renderPageToken(question: string, end: PageEnd): string {
  return Buffer.from(JSON.stringify([digest(question), end.value, end.uid])).toString("base64url");
}

/** Parses a page token. Throws if the token is malformed or belongs to a different list. */
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
    // A malformed token gets the same fault as any other invalid token.
  }
  throw new Fault(apiFaults.bad_page_token, "pageToken does not belong to this list");
}

function digest(question: string): string {
  return createHash("sha256").update(question).digest("base64url").slice(0, 12);
}
