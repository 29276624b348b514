import { createCipheriv, createDecipheriv, randomBytes, type CipherGCM, type DecipherGCM } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { Fault, Secret } from "@cloudwright/platform";
import { storeFaults } from "./faults.ts";

/** Keys that wrap data keys, keyed by id. The first key is used for encryption, and all keys can be used for decryption. */
export interface KeyRing {
  readonly primary: string;
  readonly keys: ReadonlyMap<string, Secret<Buffer>>;
}

const version = 1;
const ivBytes = 12;
const tagBytes = 16;
const keyBytes = 32;

/**
 * Encrypts a value with envelope encryption. A new data key encrypts the value, and the primary key wraps the data key. `context`, usually
 * the record's uid, is authenticated, so that a value cannot be moved to another record. Layout: version, length of key id, key id, wrapped
 * data key (iv, tag, key), value (iv, tag, text).
 */
export function seal(ring: KeyRing, context: string, value: string): Buffer {
  const dataKey = randomBytes(keyBytes);
  return join(ring, context, dataKey, encrypt(dataKey, context, Buffer.from(value, "utf8")));
}

/** Decrypts a value that was encrypted by `seal`. */
export function unseal(ring: KeyRing, context: string, sealed: Buffer): string {
  const { dataKey, rest } = openDataKey(ring, context, sealed);
  return decrypt(dataKey, context, rest).toString("utf8");
}

/** An encrypted value whose wrapped data key is stored separately, so that key rotation does not rewrite large contents. */
export interface SealedBytes {
  /** The wrapped data key, which `rewrap` replaces. */
  readonly sealed: Buffer;
  readonly content: Buffer;
}

/** Encrypts like `seal`, but returns the wrapped data key and the content separately. */
export function sealBytes(ring: KeyRing, context: string, value: Buffer): SealedBytes {
  const dataKey = randomBytes(keyBytes);
  return { sealed: join(ring, context, dataKey, Buffer.alloc(0)), content: encrypt(dataKey, context, value) };
}

/** Decrypts a value that was encrypted by `sealBytes`. */
export function unsealBytes(ring: KeyRing, context: string, { sealed, content }: SealedBytes): Buffer {
  return decrypt(openDataKey(ring, context, sealed).dataKey, context, content);
}

/** Size of the pieces in which large values are encrypted and decrypted. One piece takes about 3 ms. */
const pieceBytes = 4 * 1024 * 1024;

/** Encrypts like `sealBytes`, but in pieces, so that other work can proceed in between. Intended for large values. */
export async function sealLargeBytes(ring: KeyRing, context: string, value: Buffer): Promise<SealedBytes> {
  const dataKey = randomBytes(keyBytes);
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", dataKey, iv).setAAD(Buffer.from(context));
  const content = Buffer.allocUnsafeSlow(ivBytes + tagBytes + value.length);
  await convertPieces(cipher, value, content.subarray(ivBytes + tagBytes));
  iv.copy(content);
  cipher.getAuthTag().copy(content, ivBytes);
  return { sealed: join(ring, context, dataKey, Buffer.alloc(0)), content };
}

/** Decrypts like `unsealBytes`, but in pieces, so that other work can proceed in between. Intended for large values. */
export async function unsealLargeBytes(ring: KeyRing, context: string, { sealed, content }: SealedBytes): Promise<Buffer> {
  const decipher = openDecipher(openDataKey(ring, context, sealed).dataKey, context, content);
  const text = content.subarray(ivBytes + tagBytes);
  const value = Buffer.allocUnsafeSlow(text.length);
  await convertPieces(decipher, text, value);
  return value;
}

/** The output of the cipher or decipher is exactly as long as its input. */
async function convertPieces(cipher: CipherGCM | DecipherGCM, from: Buffer, into: Buffer): Promise<void> {
  for (let at = 0; at < from.length; at += pieceBytes) {
    cipher.update(from.subarray(at, at + pieceBytes)).copy(into, at);
    await setImmediate();
  }
  cipher.final();
}

/** Rewraps the data key with the primary key. Returns undefined if the data key is already wrapped with the primary key. */
export function rewrap(ring: KeyRing, context: string, sealed: Buffer): Buffer | undefined {
  if (readKeyId(sealed) === ring.primary) return undefined;
  const { dataKey, rest } = openDataKey(ring, context, sealed);
  return join(ring, context, dataKey, rest);
}

function join(ring: KeyRing, context: string, dataKey: Buffer, rest: Buffer): Buffer {
  const id = Buffer.from(ring.primary, "utf8");
  const wrapped = encrypt(getKey(ring, ring.primary), context, dataKey);
  return Buffer.concat([Buffer.from([version, id.length]), id, wrapped, rest]);
}

function openDataKey(ring: KeyRing, context: string, sealed: Buffer): { dataKey: Buffer; rest: Buffer } {
  const id = readKeyId(sealed);
  const start = 2 + Buffer.byteLength(id);
  const end = start + ivBytes + tagBytes + keyBytes;
  return { dataKey: decrypt(getKey(ring, id), context, sealed.subarray(start, end)), rest: sealed.subarray(end) };
}

function readKeyId(sealed: Buffer): string {
  if (sealed[0] !== version) throw new Error("a sealed record has an unknown version");
  return sealed.toString("utf8", 2, 2 + (sealed[1] ?? 0));
}

function getKey(ring: KeyRing, id: string): Buffer {
  const key = ring.keys.get(id);
  if (key === undefined) throw new Fault(storeFaults.key_missing, `encryption key "${id}" is not in the key ring`);
  return key.reveal();
}

function encrypt(key: Buffer, context: string, value: Buffer): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(context));
  const text = Buffer.concat([cipher.update(value), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]);
}

function decrypt(key: Buffer, context: string, data: Buffer): Buffer {
  const decipher = openDecipher(key, context, data);
  return Buffer.concat([decipher.update(data.subarray(ivBytes + tagBytes)), decipher.final()]);
}

function openDecipher(key: Buffer, context: string, data: Buffer): DecipherGCM {
  const iv = data.subarray(0, ivBytes);
  // Without a tag length, Node would accept a truncated tag and compare only the remaining bytes.
  const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(context));
  return decipher.setAuthTag(data.subarray(ivBytes, ivBytes + tagBytes));
}
