import { gunzipSync, inflateRawSync, zstdDecompressSync } from "node:zlib";

/**
 * Returns the bytes together with the decompressed contents of all gzip, zstd and zip entries in them. Logs, plans and states use these
 * formats.
 */
export function unpack(bytes: Buffer): Buffer[] {
  if (bytes.length < 30) return [bytes];
  if (bytes.readUInt16BE(0) === 0x1f8b) return [bytes, ...attempt(() => gunzipSync(bytes))];
  if (bytes.readUInt32BE(0) === 0x28b52ffd) return [bytes, ...attempt(() => zstdDecompressSync(bytes))];
  return bytes.readUInt32BE(0) === 0x504b0304 ? [bytes, ...unzip(bytes)] : [bytes];
}

function unzip(bytes: Buffer): Buffer[] {
  const files: Buffer[] = [];
  for (let at = 0; at !== -1; at = bytes.indexOf("PK\u0003\u0004", at + 4, "latin1")) {
    const begin = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    files.push(...attempt(() => inflateRawSync(bytes.subarray(begin))));
  }
  return files;
}

// Bytes that only look compressed, or that are truncated, are searched without decompression.
function attempt(work: () => Buffer): Buffer[] {
  try {
    return [work()];
  } catch {
    return [];
  }
}
