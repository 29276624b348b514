import { open, type FileHandle } from "node:fs/promises";

/** Returns the last bytes of a console's output. The output is in two files, and `<file>.1` is the older one. */
export async function readTail(file: string, maxBytes: number): Promise<string> {
  const newer = await readEnd(file, maxBytes);
  const older = await readEnd(`${file}.1`, maxBytes - newer.length);
  return Buffer.concat([older, newer]).toString("utf8");
}

async function readEnd(file: string, maxBytes: number): Promise<Buffer> {
  let handle: FileHandle;
  try {
    handle = await open(file, "r");
  } catch {
    return Buffer.alloc(0);
  }
  try {
    const { size } = await handle.stat();
    const length = Math.max(0, Math.min(size, maxBytes));
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
