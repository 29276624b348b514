import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";
import {
  sealBytes,
  sealLargeBytes,
  unsealBytes,
  unsealLargeBytes,
  type KeyRing,
  type SealedBytes,
  type StateBytesRow,
} from "@cloudwright/store";

// zstd level 1 compresses a 90 kB state to a third of its size in 0.16 ms and decompresses it in 0.06 ms. gzip achieves the same size in
// 0.77 ms and decompresses it in 0.27 ms.
const level = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Content up to this size is processed in the main thread, because moving the work to another thread would cost more than it saves. */
const smallBytes = 256 * 1024;

/** Compresses and encrypts a state for storage. The result can be decrypted only with the uid of its version. */
export async function sealContent(ring: KeyRing, uid: string, content: Buffer): Promise<SealedBytes> {
  if (content.length <= smallBytes) return sealBytes(ring, uid, zstdCompressSync(content, level));
  return sealLargeBytes(ring, uid, await promisify(zstdCompress)(content, level));
}

/** Decrypts and decompresses a version. Returns undefined for a version that marks a deletion. */
export async function openContent(ring: KeyRing, row: StateBytesRow): Promise<Buffer | undefined> {
  const { uid, sealed, content, size } = row;
  if (sealed === null || content === null) return undefined;
  const bytes = { sealed, content };
  const compressed = size <= smallBytes ? unsealBytes(ring, uid, bytes) : await unsealLargeBytes(ring, uid, bytes);
  // Decompressing into a single chunk takes half as long as with the default 16 kB chunks.
  const whole = { chunkSize: Math.max(size, 64) };
  return size <= smallBytes ? zstdDecompressSync(compressed, whole) : promisify(zstdDecompress)(compressed, whole);
}

/** Returns the checksum with which Terraform verifies a state. */
export function md5Of(content: Buffer): Buffer {
  return createHash("md5").update(content).digest();
}
