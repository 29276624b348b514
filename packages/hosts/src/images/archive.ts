import { Fault } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";

const extractTimeoutMs = 30 * 60_000;

/**
 * Extracts a tar archive, compressed or not, into a new folder. tar rejects members with `..`, and creates links that point outside the
 * folder only after all other members. An archive can therefore not write outside the folder.
 */
export async function extractArchive(
  { run }: Pick<HostDeps, "run">,
  archive: string,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  await mkdir(folder, { mode: 0o755 });
  const attributes = ["--xattrs", "--xattrs-include=security.capability"];
  const args = [
    "--extract",
    "--file",
    archive,
    "--directory",
    folder,
    "--numeric-owner",
    "--preserve-permissions",
    ...attributes,
  ];
  // Without --force-local, tar interprets an archive name with a colon as a file on a remote host.
  await run("tar", ["--force-local", ...args], { signal, timeoutMs: extractTimeoutMs }).catch((error: unknown) => {
    throw explainFailure(archive, error);
  });
}

/** A malformed archive stays malformed, so the import must not be repeated. A full disk may have space later. */
function explainFailure(archive: string, error: unknown): unknown {
  if (!(error instanceof Fault) || error.code !== hostsFaults.tool_failed.code) return error;
  if (error.message.includes("No space left")) return new Fault(hostsFaults.no_disk_space, error.message, { cause: error });
  return new Fault(hostsFaults.bad_image, `${archive} cannot be extracted: ${error.message}`, { cause: error });
}

/** Returns the SHA-256 digest of a file in hexadecimal. */
export async function digestFile(file: string, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(file), hash, signal === undefined ? {} : { signal });
  } catch (error) {
    if (signal?.aborted === true) throw new Fault(hostsFaults.cancelled, `reading ${file} was cancelled`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "EISDIR") throw new Fault(hostsFaults.bad_image, `${file} does not exist or is not a file`);
    throw error;
  }
  return hash.digest("hex");
}

/** Throws if a file does not have the expected digest. */
export async function requireDigest(file: string, expected: string, signal: AbortSignal | undefined): Promise<void> {
  if (!/^[0-9a-f]{64}$/.test(expected))
    throw new Fault(hostsFaults.bad_image, `"${expected}" is not a SHA-256 checksum; use 64 lower-case hexadecimal digits`);
  const actual = await digestFile(file, signal);
  if (actual === expected) return;
  throw new Fault(hostsFaults.checksum_mismatch, `${file} has the checksum ${actual}; expected ${expected}`);
}
