import type { Secret } from "@cloudwright/platform";
import { createHash, timingSafeEqual } from "node:crypto";

/** Returns whether a header contains the token, in constant time. */
export function holdsToken(header: string | null, token: Secret): boolean {
  const given = /^Bearer (?<token>\S+)$/i.exec(header ?? "")?.groups?.["token"] ?? "";
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token.reveal()));
}
