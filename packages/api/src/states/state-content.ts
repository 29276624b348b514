import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";
import { sealBytes, unsealBytes, type KeyRing, type SealedBytes, type StateBytesRow } from "@cloudwright/store";

// Level 1 compresses a state of 90 kB to a third in 0.16 ms and decompresses it in 0.06 ms. gzip needs 0.77 and 0.27 ms for the
// same size.
const level = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Up to this size, using another thread costs more than it saves. */
const smallBytes = 1024 * 1024;

/** Prepares a state for storage: compressed, then encrypted for the version with this uid only. */
export async function sealContent(ring: KeyRing, uid: string, content: Buffer): Promise<SealedBytes> {
  const small = content.length <= smallBytes;
  return sealBytes(ring, uid, small ? zstdCompressSync(content, level) : await promisify(zstdCompress)(content, level));
}

/** Returns the state of a version, byte for byte. Undefined for a deletion. */
export async function openContent(ring: KeyRing, row: StateBytesRow): Promise<Buffer | undefined> {
  const { uid, sealed, content, size } = row;
  if (sealed === null || content === null) return undefined;
  const compressed = unsealBytes(ring, uid, { sealed, content });
  // One chunk: the default of 16 kB at a time takes twice as long.
  const whole = { chunkSize: Math.max(size, 64) };
  return size <= smallBytes ? zstdDecompressSync(compressed, whole) : promisify(zstdDecompress)(compressed, whole);
}

/** Returns the checksum by which Terraform identifies a state. */
export function md5Of(content: Buffer): Buffer {
  return createHash("md5").update(content).digest();
}
