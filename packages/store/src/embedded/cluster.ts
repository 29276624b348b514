import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Environment, Logger } from "@cloudwright/platform";
import { findBinaries, type Binaries } from "./binaries.ts";
import { prepareDataDirectory, readDataMajor } from "./data-directory.ts";
import { choosePlacement } from "./placement.ts";
import type { RunAs } from "./run-as.ts";
import { prepareSocketDirectory } from "./socket-directory.ts";

/** Everything needed to start a PostgreSQL server for a home directory. */
export interface Cluster {
  readonly runAs: RunAs;
  readonly binaries: Binaries;
  readonly dataDirectory: string;
  readonly socketDirectory: string;
  readonly logFile: string;
  readonly settings: Readonly<Record<string, string>>;
}

export interface ClusterOptions {
  readonly home: string;
  /** Directory for the data, used if the server's user cannot access the home directory. */
  readonly systemDirectory: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Directory with the binaries to use. Default: search for them. */
  readonly binDirectory?: string;
  readonly throwAway?: boolean;
}

/** Prepares a home directory for a PostgreSQL server. Several processes may do this concurrently. */
export async function prepareCluster(
  deps: { log: Logger; clock: Clock; environment: Environment },
  options: ClusterOptions,
): Promise<Cluster> {
  const { runAs, base } = await choosePlacement(deps, options);
  const directory = join(base, "data");
  const binaries = await findBinaries(deps, {
    runAs,
    // If the server runs as another user, that user may be unable to access the cache in the home directory.
    copyTo: runAs.kind === "user" ? options.systemDirectory : join(options.home, "cache"),
    dataMajor: await readDataMajor(directory),
    binDirectory: options.binDirectory,
  });
  await prepareDataDirectory(deps, { directory, runAs, binaries, throwAway: options.throwAway ?? false });
  const dataDirectory = await realpath(directory);
  const socketDirectory = await prepareSocketDirectory(base, runAs);
  return {
    runAs,
    binaries,
    dataDirectory,
    socketDirectory,
    logFile: join(options.home, "postgres.log"),
    settings: options.settings,
  };
}
