import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";

/** Returns every file in a folder with its content. The entries of a saved plan's archive appear as `plan!part`. */
export function readAllFiles(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map((entry) => join(entry.parentPath, entry.name)).map((path) => [path, readFileSync(path)] as const);
  const packed = files.filter(([path]) => path.endsWith(".tfplan")).flatMap(([path, bytes]) => unzip(path, bytes));
  return new Map([...files, ...packed]);
}

function unzip(path: string, archive: Buffer): [string, Buffer][] {
  const parts: [string, Buffer][] = [];
  const end = archive.lastIndexOf(Buffer.from("PK\x05\x06"));
  for (let at = end < 0 ? archive.length : archive.readUInt32LE(end + 16); at < end;) {
    const nameBytes = archive.readUInt16LE(at + 28);
    const start = archive.readUInt32LE(at + 42);
    const dataAt = start + 30 + archive.readUInt16LE(start + 26) + archive.readUInt16LE(start + 28);
    const data = archive.subarray(dataAt, dataAt + archive.readUInt32LE(at + 20));
    const name = archive.toString("utf8", at + 46, at + 46 + nameBytes);
    parts.push([`${path}!${name}`, archive.readUInt16LE(at + 10) === 8 ? inflateRawSync(data) : data]);
    at += 46 + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return parts;
}
