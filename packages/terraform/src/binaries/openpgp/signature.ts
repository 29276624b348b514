import { constants, verify } from "node:crypto";
import type { PublicKey } from "./public-key.ts";
import { byteAt, malformed, readBigNumber, readLength, readNumber } from "./packets.ts";

/** A parsed signature. */
export interface Signature {
  /**
   * Signature type: 0x00 for a file, 0x10 to 0x13 for a user ID, 0x18 for a subkey, 0x19 for a subkey's cross-signature, 0x20 and 0x28 for
   * revocations.
   */
  readonly type: number;
  readonly createdAt: number;
  /**
   * Expiry in seconds. `expiresAfter` counts from the creation of the signature, `keyExpiresAfter` from the creation of the key that it
   * certifies.
   */
  readonly expiresAfter: number | undefined;
  readonly keyExpiresAfter: number | undefined;
  readonly keyFlags: number | undefined;
  readonly issuer: string | undefined;
  readonly embedded: Signature | undefined;
  /** Returns whether the key signed the given bytes. */
  isBy(key: PublicKey, data: readonly Buffer[]): boolean;
}

// SHA-1 and older algorithms are insecure and not accepted.
const hashes: Readonly<Record<number, string>> = { 8: "sha256", 9: "sha384", 10: "sha512" };
// Types of critical subpackets that are accepted, because they are either handled or safe to ignore.
const harmless = new Set([2, 3, 4, 7, 9, 11, 16, 21, 22, 23, 24, 25, 26, 27, 28, 30, 31, 32, 33, 34, 35]);

/** Parses a version 4 RSA signature, the type that software vendors use. Rejects all other signatures. */
export function parseSignature(body: Buffer): Signature {
  const [version, type, algorithm, hashId] = [0, 1, 2, 3].map((at) => byteAt(body, at)) as [number, number, number, number];
  const hash = hashes[hashId];
  if (version !== 4) throw malformed(`the signature has the unsupported version ${version}`);
  if (algorithm !== 1 && algorithm !== 3) throw malformed(`the signature uses the unsupported algorithm ${algorithm}`);
  const hashedEnd = 6 + readNumber(body, 4, 2);
  const otherEnd = hashedEnd + 2 + readNumber(body, hashedEnd, 2);
  const hashed = listParts(body.subarray(6, hashedEnd));
  const other = listParts(body.subarray(hashedEnd + 2, otherEnd));
  const proof = readBigNumber(body, otherEnd + 2).value;
  const trailer = Buffer.concat([body.subarray(0, hashedEnd), Buffer.from([4, 0xff, 0, 0, 0, 0])]);
  trailer.writeUInt32BE(hashedEnd, trailer.length - 4);
  const number = (part: number): number | undefined =>
    hashed.has(part) ? readNumber(hashed.get(part) as Buffer, 0, 4) : undefined;
  // Unhashed subpackets are not authenticated. Only hints and embedded signatures are read from them.
  const fingerprint = (hashed.get(33) ?? other.get(33))?.subarray(1).toString("hex");
  const keyId = (hashed.get(16) ?? other.get(16))?.toString("hex");
  const embedded = hashed.get(32) ?? other.get(32);
  return {
    type,
    createdAt: number(2) ?? 0,
    expiresAfter: number(3) || undefined,
    keyExpiresAfter: number(9) || undefined,
    keyFlags: hashed.get(27)?.[0],
    issuer: fingerprint ?? keyId,
    embedded: embedded === undefined ? undefined : parseSignature(embedded),
    isBy(key, data) {
      if (hash === undefined || key.rsa === undefined) return false;
      const size = key.modulusBytes;
      const padded = Buffer.concat([Buffer.alloc(Math.max(0, size - proof.length)), proof]);
      return verify(hash, Buffer.concat([...data, trailer]), { key: key.rsa, padding: constants.RSA_PKCS1_PADDING }, padded);
    },
  };
}

function listParts(area: Buffer): Map<number, Buffer> {
  const parts = new Map<number, Buffer>();
  let at = 0;
  while (at < area.length) {
    const { start, length } = readLength(area, at);
    const mark = byteAt(area, start);
    const isCritical = (mark & 0x80) !== 0;
    const kind = mark & 0x7f;
    if (length === 0 || start + length > area.length) throw malformed("a part of the signature is truncated");
    if (isCritical && !harmless.has(kind)) throw malformed(`the signature has the unsupported critical part ${kind}`);
    if (!parts.has(kind)) parts.set(kind, area.subarray(start + 1, start + length));
    at = start + length;
  }
  return parts;
}
