import { createHash } from "node:crypto";
import { createToken, Secret } from "@cloudwright/platform";

const prefixLength = 10;

/** A new API key: shown once, kept as a hash, recognised by its first characters. */
export function createApiKey(): { key: Secret; hash: Buffer; prefix: string } {
  const key = `cw_${createToken()}`;
  return { key: new Secret(key), hash: hashCredential(key), prefix: key.slice(0, prefixLength) };
}

/** Whether a text has the form of an API key; anything else need not be looked up. */
export function isApiKey(text: string): boolean {
  return /^cw_[A-Za-z0-9_-]{43}$/.test(text);
}

/** What is stored of a credential. Plain SHA-256: with 256 random bits there is no dictionary that slow hashing would hold up. */
export function hashCredential(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
