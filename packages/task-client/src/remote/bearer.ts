import type { Secret } from "@cloudwright/platform";
import { createHash, timingSafeEqual } from "node:crypto";

/** Whether a header holds the token; how long the answer takes tells nothing about it. */
export function holdsToken(header: string | null, token: Secret): boolean {
  const given = /^Bearer (?<token>\S+)$/i.exec(header ?? "")?.groups?.["token"] ?? "";
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token.reveal()));
}
