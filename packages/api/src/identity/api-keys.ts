import { createHash } from "node:crypto";
import { createToken, Secret } from "@cloudwright/platform";

const prefixLength = 10;

/** Creates an API key. The key is shown once and stored as a hash. The prefix identifies it in lists and audit records. */
export function createApiKey(): { key: Secret; hash: Buffer; prefix: string } {
  const key = `cw_${createToken()}`;
  return { key: new Secret(key), hash: hashCredential(key), prefix: key.slice(0, prefixLength) };
}

/** Returns whether a string has the format of an API key. Other strings need no lookup. */
export function isApiKey(text: string): boolean {
  return /^cw_[A-Za-z0-9_-]{43}$/.test(text);
}

/**
 * Hashes a credential for storage. Plain SHA-256 is sufficient: credentials have 256 random bits, so slow hashing would add no
 * security.
 */
export function hashCredential(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
