import { Fault } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { terraformFaults } from "../faults.ts";
import { extractFile } from "./extract-file.ts";
import { verifySignature } from "./openpgp/verify-signature.ts";
import type { ReleaseSource } from "./release-source.ts";
import type { ReleaseLayout } from "./releases.ts";

export interface WantedRelease {
  readonly layout: ReleaseLayout;
  readonly version: string;
  readonly platform: string;
  /** ASCII-armoured signing key. Default: the key that the source provides. */
  readonly signingKey?: string;
  /** Fingerprint to trust instead of the vendor's, for custom builds. */
  readonly fingerprint?: string;
  readonly nowMs: number;
}

/**
 * Downloads a release's executable to `target` after verifying the vendor's signature and the archive's checksum. The file appears
 * atomically, so that readers never see a partial one.
 */
export async function downloadRelease(source: ReleaseSource, wanted: WantedRelease, target: string): Promise<void> {
  const { layout, version, platform, signingKey, fingerprint = layout.key.fingerprint, nowMs } = wanted;
  const paths = layout.pathsOf(version, platform);
  const [bytes, signature] = await Promise.all([source.read(paths.sums), source.read(paths.signature)]);
  const certificate = signingKey === undefined ? await source.readKey() : Buffer.from(signingKey);
  verifySignature({ bytes, signature, certificate, fingerprint, nowMs });
  const wantedSum = findSum(bytes.toString(), paths.archive);

  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const temporary = await mkdtemp(join(dirname(target), ".new-"));
  try {
    const archive = join(temporary, "archive.zip");
    const sum = await download(source, paths.archive, archive);
    if (sum !== wantedSum) {
      throw new Fault(
        terraformFaults.bad_checksum,
        `${source.place}/${paths.archive} has the checksum ${sum}; expected ${wantedSum}`,
      );
    }
    await extractFile(archive, layout.program, join(temporary, layout.program));
    await rename(join(temporary, layout.program), target);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function download(source: ReleaseSource, path: string, file: string): Promise<string> {
  const hash = createHash("sha256");
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  try {
    await pipeline(await source.open(path), hashing, createWriteStream(file, { mode: 0o600 }));
  } catch (error) {
    if (error instanceof Fault) throw error;
    const isFull = error instanceof Error && "code" in error && error.code === "ENOSPC";
    const definition = isFull ? terraformFaults.disk_full : terraformFaults.download_failed;
    throw new Fault(definition, `the download of ${source.place}/${path} is incomplete`, { cause: error });
  }
  return hash.digest("hex");
}

function findSum(sums: string, archive: string): string {
  const name = archive.slice(archive.lastIndexOf("/") + 1);
  for (const line of sums.split("\n")) {
    const match = /^(?<sum>[0-9a-f]{64}) [ *](?<name>\S+)$/.exec(line.trimEnd());
    if (match?.groups?.["name"] === name) return match.groups["sum"] as string;
  }
  throw new Fault(terraformFaults.download_failed, `the release does not contain ${name}: it is not available for this platform`);
}
