import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { crc32, deflateRawSync } from "node:zlib";
import type { Product } from "../binaries/binary.ts";
import { releases } from "../binaries/releases.ts";
import type { TestKey } from "./test-key.ts";

/** Release files, keyed by path, as on a vendor's site or a mirror. */
export type ReleaseFiles = Map<string, Buffer>;

/** Renders a script that prints this version and does nothing else. */
export function printProgram(version: string): string {
  return `#!/bin/sh\necho '{"terraform_version":"${version}"}'\n`;
}

/** Creates a release signed with the key. The archive may differ from the signed one, to simulate tampering. */
export function createRelease(
  key: TestKey,
  product: Product,
  version: string,
  program = printProgram(version),
  archive = zip({ "LICENSE.txt": "free", [releases[product].program]: program }),
): ReleaseFiles {
  const layout = releases[product];
  const paths = layout.pathsOf(version, "test_cpu");
  const name = paths.archive.slice(paths.archive.lastIndexOf("/") + 1);
  const sums = Buffer.from(
    `${"0".repeat(64)}  other_thing.zip\n${createHash("sha256").update(archive).digest("hex")}  ${name}\n`,
  );
  return new Map([
    [paths.archive, archive],
    [paths.sums, sums],
    [paths.signature, key.sign(sums)],
    [layout.key.path, key.certificate],
  ]);
}

/** Writes release files to a directory. */
export function writeRelease(directory: string, files: ReleaseFiles): void {
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), bytes);
  }
}

/** Serves the files over HTTP. Returns the URL and a list of the requested paths. */
export async function serveRelease(files: ReleaseFiles): Promise<{ address: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? "/").slice(1);
    asked.push(path);
    const bytes = files.get(path);
    response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** Creates a zip archive of small files. */
export function zip(files: Readonly<Record<string, string>>): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const packed = deflateRawSync(Buffer.from(text));
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(8, 4);
    head.writeUInt32LE(crc32(text), 10);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(Buffer.byteLength(text), 18);
    head.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), head, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), head, place, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, listed, Buffer.from("PK\x05\x06"), end]);
}
