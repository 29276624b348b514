import { createHash, createPublicKey, type KeyObject } from "node:crypto";
import { byteAt, malformed, readBigNumber, readNumber } from "./packets.ts";

/** An OpenPGP public key (version 4). */
export interface PublicKey {
  /** 40 hexadecimal digits. */
  readonly fingerprint: string;
  readonly createdAt: number;
  /** Undefined for unsupported key types. */
  readonly rsa: KeyObject | undefined;
  readonly modulusBytes: number;
  /** The key in the serialised form that signatures cover. */
  readonly framed: Buffer;
}

export function parsePublicKey(body: Buffer): PublicKey {
  if (byteAt(body, 0) !== 4) throw malformed(`the key has the unsupported version ${byteAt(body, 0)}`);
  const framed = Buffer.concat([Buffer.from([0x99, body.length >> 8, body.length & 0xff]), body]);
  const fingerprint = createHash("sha1").update(framed).digest("hex");
  const createdAt = readNumber(body, 1, 4);
  const algorithm = byteAt(body, 5);
  if (algorithm !== 1 && algorithm !== 3) return { fingerprint, createdAt, rsa: undefined, modulusBytes: 0, framed };
  const modulus = readBigNumber(body, 6);
  const exponent = readBigNumber(body, modulus.next);
  if (modulus.value.length < 256) throw malformed("the key has fewer than 2048 bits");
  const jwk = { kty: "RSA", n: modulus.value.toString("base64url"), e: exponent.value.toString("base64url") };
  const rsa = createPublicKey({ key: jwk, format: "jwk" });
  return { fingerprint, createdAt, rsa, modulusBytes: modulus.value.length, framed };
}
