import type { Secret } from "@cloudwright/platform";
import { createHash, timingSafeEqual } from "node:crypto";

/** Returns whether an authorization header contains the token. Compares in constant time. */
export function holdsToken(header: string | null, token: Secret): boolean {
  const given = /^Bearer (?<token>\S+)$/i.exec(header ?? "")?.groups?.["token"] ?? "";
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token.reveal()));
}
