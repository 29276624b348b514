import { createHash } from "node:crypto";
import { createToken, Secret } from "@cloudwright/platform";

const prefixLength = 10;

/** Creates an API key. It is shown once, stored as a hash and identified by its first characters. */
export function createApiKey(): { key: Secret; hash: Buffer; prefix: string } {
  const key = `cw_${createToken()}`;
  return { key: new Secret(key), hash: hashCredential(key), prefix: key.slice(0, prefixLength) };
}

/** Returns whether a text has the format of an API key. Others need no lookup. */
export function isApiKey(text: string): boolean {
  return /^cw_[A-Za-z0-9_-]{43}$/.test(text);
}

/**
 * Hashes a credential for storage. Plain SHA-256 is enough: with 256 random bits a dictionary attack is impossible, so slow
 * hashing adds nothing.
 */
export function hashCredential(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
