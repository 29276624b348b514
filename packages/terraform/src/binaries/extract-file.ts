import { Fault } from "@cloudwright/platform";
import { createWriteStream } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { PassThrough, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32, createInflateRaw } from "node:zlib";
import { terraformFaults } from "../faults.ts";

const mostBytes = 1024 * 1024 * 1024;

/**
 * Extracts one file from a zip archive and makes it executable. The file is matched by its exact name, so no path in the archive is
 * followed.
 */
export async function extractFile(archive: string, name: string, target: string): Promise<void> {
  const handle = await open(archive, "r");
  try {
    const entry = await findEntry(handle, name);
    const local = await readAt(handle, entry.offset, 30);
    if (local.readUInt32LE(0) !== 0x04034b50) throw bad("an entry is not at its recorded position");
    const start = entry.offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
    const packed = handle.createReadStream({ start, end: start + entry.packedBytes - 1, autoClose: false });
    const checked = createCheck();
    const unpack = entry.method === 8 ? createInflateRaw() : new PassThrough();
    try {
      await pipeline(packed, unpack, checked.stream, createWriteStream(target, { mode: 0o700, flags: "wx" }));
    } catch (error) {
      throw error instanceof Fault || isSystemError(error) ? error : bad("its content cannot be decompressed", error);
    }
    if (checked.sum() !== entry.sum || checked.size() !== entry.bytes) throw bad("its content is damaged");
  } finally {
    await handle.close();
  }
}

interface Entry {
  readonly method: number;
  readonly sum: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly offset: number;
}

async function findEntry(handle: FileHandle, name: string): Promise<Entry> {
  const { size } = await handle.stat();
  const tail = await readAt(handle, Math.max(0, size - 66_000), Math.min(size, 66_000));
  const end = tail.lastIndexOf(Buffer.from("PK\x05\x06"));
  if (end === -1 || end + 22 > tail.length) throw bad("it is not a zip archive");
  const directory = await readAt(handle, tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12));
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === 0x02014b50;) {
    const nameBytes = directory.readUInt16LE(at + 28);
    const next = at + 46 + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    if (directory.toString("utf8", at + 46, at + 46 + nameBytes) === name) return readEntry(directory, at);
    at = next;
  }
  throw bad(`it does not contain ${name}`);
}

function readEntry(directory: Buffer, at: number): Entry {
  const method = directory.readUInt16LE(at + 10);
  if (method !== 0 && method !== 8) throw bad("it uses an unsupported compression method");
  if ((directory.readUInt16LE(at + 8) & 1) !== 0) throw bad("it is encrypted");
  const number = (offset: number): number => directory.readUInt32LE(at + offset);
  return { method, sum: number(16), packedBytes: number(20), bytes: number(24), offset: number(42) };
}

function createCheck() {
  let sum = 0;
  let size = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sum = crc32(chunk, sum);
      size += chunk.length;
      if (size > mostBytes) done(bad("its content is too large"));
      else done(null, chunk);
    },
  });
  return { stream, sum: () => sum, size: () => size };
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, position);
  if (bytesRead !== length) throw bad("it is truncated");
  return buffer;
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

function bad(why: string, cause?: unknown): Fault {
  return new Fault(terraformFaults.bad_archive, `a release archive cannot be used: ${why}`, { cause });
}
