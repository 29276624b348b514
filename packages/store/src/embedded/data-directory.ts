import { chown, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Fault, type Clock, type Environment, type Logger } from "@cloudwright/platform";
import type { Binaries } from "./binaries.ts";
import { embeddedFaults } from "./faults.ts";
import { runToEnd, type RunAs } from "./run-as.ts";

/** Administrator role of the database. The product itself connects with a less privileged role. */
export const administrator = "postgres";

/** Returns the PostgreSQL major version of a data directory, or undefined if there is no data directory. */
export async function readDataMajor(directory: string): Promise<number | undefined> {
  const text = await readFile(join(directory, "PG_VERSION"), "utf8").catch(() => undefined);
  return text === undefined ? undefined : Number.parseInt(text, 10);
}

/**
 * Creates the data directory unless a complete one exists. Concurrent processes end up with the same directory. Throws if its version
 * differs from that of the binaries.
 */
export async function prepareDataDirectory(
  deps: { log: Logger; clock: Clock; environment: Environment },
  options: { directory: string; runAs: RunAs; binaries: Binaries; throwAway: boolean },
): Promise<void> {
  const { directory, binaries } = options;
  await removeAbandoned(deps, directory);
  if (!(await isComplete(directory))) {
    await setAsideHalfMade(deps, directory);
    await create(deps, options);
  }
  const major = await readDataMajor(directory);
  if (major !== binaries.major) {
    throw new Fault(
      embeddedFaults.embedded_other_version,
      `${directory} was created by PostgreSQL ${major ?? "of an unknown version"}, but the binaries in ${binaries.directory} are version ${binaries.major}`,
    );
  }
}

async function isComplete(directory: string): Promise<boolean> {
  const control = await stat(join(directory, "global", "pg_control")).catch(() => undefined);
  return control !== undefined && (await readDataMajor(directory)) !== undefined;
}

/** PostgreSQL assigns this object id to the first database that a user creates. */
const firstOwnDatabase = 16_384;

async function setAsideHalfMade(deps: { log: Logger; clock: Clock }, directory: string): Promise<void> {
  const entries = await readdir(directory).catch(() => []);
  if (entries.length === 0) return;
  const databases = await readdir(join(directory, "base")).catch(() => []);
  if (databases.some((name) => Number(name) >= firstOwnDatabase)) {
    throw new Fault(
      embeddedFaults.embedded_data_damaged,
      `${directory} contains tables, but PG_VERSION or global/pg_control is missing`,
    );
  }
  const aside = `${directory}.half-made-${deps.clock.now()}`;
  await rename(directory, aside);
  deps.log.warn({ directory, aside }, "moved an incomplete data directory aside");
}

/**
 * Initialises a sibling directory and renames it. A killed process therefore never leaves a partial data directory. If two processes do
 * this concurrently, one rename wins.
 */
async function create(
  deps: { log: Logger; environment: Environment },
  options: { directory: string; runAs: RunAs; binaries: Binaries; throwAway: boolean },
): Promise<void> {
  const { directory, runAs, binaries } = options;
  await mkdir(dirname(directory), { recursive: true, mode: 0o700 });
  const staging = await mkdtemp(`${directory}.new-`);
  try {
    if (runAs.kind === "user") await chown(staging, runAs.uid, runAs.gid);
    const args = [
      "-D",
      staging,
      "-U",
      administrator,
      "--auth-local=trust",
      "--auth-host=reject",
      "-E",
      "UTF8",
      "--no-locale",
      "--data-checksums",
    ];
    const ended = await runToEnd(
      runAs,
      deps.environment,
      join(binaries.directory, "initdb"),
      options.throwAway ? [...args, "--no-sync"] : args,
    );
    if (!ended.succeeded)
      throw new Fault(embeddedFaults.embedded_initdb_failed, `initdb in ${directory}: ${lastLine(ended.output)}`);
    await rename(staging, directory);
    await syncDirectory(dirname(directory));
    deps.log.info({ directory, major: binaries.major }, "created a new database");
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    if (!(await isComplete(directory))) throw error;
  }
}

const abandonedAfterMs = 600_000;

async function removeAbandoned(deps: { clock: Clock }, directory: string): Promise<void> {
  const parent = dirname(directory);
  const names = await readdir(parent).catch(() => []);
  for (const path of names.map((name) => join(parent, name)).filter((candidate) => candidate.startsWith(`${directory}.new-`))) {
    const found = await stat(path).catch(() => undefined);
    // Keeps newer directories, because another process may still be initialising one.
    if (found !== undefined && deps.clock.now() - found.mtimeMs > abandonedAfterMs)
      await rm(path, { recursive: true, force: true });
  }
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function lastLine(output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  return lines.find((line) => /error|fatal/i.test(line)) ?? lines.findLast((line) => line !== "") ?? "no output";
}
