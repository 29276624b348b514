import { randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { Fault, Secret } from "@cloudwright/platform";
import { storeFaults } from "./faults.ts";
import type { Database, Pool } from "./pool.ts";
import type { KeyRing } from "./seal.ts";
import { lockKeyRing } from "./statements/advisory-locks.ts";

/**
 * Reads the encryption keys from `CLOUDWRIGHT_ENCRYPTION_KEYS` if it is set. Otherwise reads a file with mode 0600, which is created on
 * first use.
 */
export function readKeyRing(options: { file: string; keys: Secret | undefined }): KeyRing {
  if (options.keys !== undefined) return parseKeyRing(options.keys.reveal(), "CLOUDWRIGHT_ENCRYPTION_KEYS");
  if (!existsSync(options.file)) createKeyFile(options.file);
  return parseKeyRing(readFileSync(options.file, "utf8"), options.file);
}

/**
 * Reads the encryption keys for a database. Creates the key file only if the database contains no secrets yet. Otherwise, a server that
 * lacks the right keys would leave behind a key file that cannot decrypt anything. `use` must store the first secret. A lock prevents two
 * servers from creating different keys for a new database.
 */
export async function openKeyRing(
  pool: Pool,
  options: { file: string; keys: Secret | undefined },
  use: (ring: KeyRing) => Promise<void>,
): Promise<KeyRing> {
  return pool.transaction(async (client) => {
    await lockKeyRing(client);
    if (options.keys === undefined && !existsSync(options.file) && (await hasSecrets(client)))
      throw new Fault(
        storeFaults.key_missing,
        `${options.file} does not exist, but the database contains secrets that are encrypted with other keys`,
      );
    const ring = readKeyRing(options);
    await use(ring);
    return ring;
  });
}

async function hasSecrets(database: Database): Promise<boolean> {
  const text = `select exists (select from signing_key) or exists (select from entity where sealed is not null)
    or exists (select from state_version where sealed is not null) as found`;
  return (await database.query<{ found: boolean }>({ text, values: [] })).rows[0]?.found === true;
}

/** Adds a new key at the start of the file. The old keys remain for decryption until every record has been rewrapped. */
export function rotateKeyFile(file: string): void {
  const next = `${file}.${process.pid}`;
  writeFileSync(next, `${renderKey()}\n${readFileSync(file, "utf8")}`, { mode: 0o600 });
  renameSync(next, file);
}

/**
 * Writes a temporary file and links it into place. A killed process therefore leaves no partial key file, and only one of two concurrent
 * processes succeeds.
 */
function createKeyFile(file: string): void {
  const next = `${file}.${process.pid}`;
  writeFileSync(next, `${renderKey()}\n`, { mode: 0o600 });
  try {
    linkSync(next, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    rmSync(next, { force: true });
  }
}

function renderKey(): string {
  return `k${randomBytes(4).toString("hex")}:${randomBytes(32).toString("base64")}`;
}

function parseKeyRing(text: string, source: string): KeyRing {
  const keys = new Map<string, Secret<Buffer>>();
  for (const part of text.split(/[\n,]/).map((line) => line.trim())) {
    if (part === "") continue;
    const [id = "", encoded = ""] = part.split(":", 2);
    const key = Buffer.from(encoded, "base64");
    if (!/^[A-Za-z0-9_-]{1,32}$/.test(id) || key.length !== 32) {
      throw new Fault(storeFaults.bad_key_ring, `${source}: entry ${keys.size + 1} is not \`id:base64 of 32 bytes\``);
    }
    if (keys.has(id)) throw new Fault(storeFaults.bad_key_ring, `${source}: two keys are called "${id}"`);
    keys.set(id, new Secret(key));
  }
  const primary = keys.keys().next().value;
  if (primary === undefined) throw new Fault(storeFaults.bad_key_ring, `${source} contains no key`);
  return { primary, keys };
}
