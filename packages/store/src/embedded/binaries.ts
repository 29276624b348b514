import { globSync } from "node:fs";
import { delimiter, join } from "node:path";
import { Fault, type Environment, type Logger } from "@cloudwright/platform";
import { embeddedFaults } from "./faults.ts";
import { copyPackage, findPackage, type PackagedPostgres } from "./package-binaries.ts";
import { runToEnd, type RunAs } from "./run-as.ts";

/** A directory with `initdb` and `postgres` binaries that run on this machine. */
export interface Binaries {
  readonly directory: string;
  readonly major: number;
}

const oldestMajor = 15;
const systemPlaces = [
  "/usr/lib/postgresql/*/bin",
  "/usr/pgsql-*/bin",
  "/opt/homebrew/opt/postgresql@*/bin",
  "/usr/local/opt/postgresql@*/bin",
];

/** Finds binaries that the given user can run. Prefers the npm package's binaries to those installed on the system. */
export async function findBinaries(
  deps: { log: Logger; environment: Environment },
  options: { runAs: RunAs; copyTo: string; dataMajor: number | undefined; binDirectory: string | undefined },
): Promise<Binaries> {
  const { binDirectory, runAs } = options;
  const found =
    binDirectory === undefined
      ? ((await findPackaged(deps, options)) ?? (await findSystem(deps, options)))
      : await probeBinaries(deps, runAs, binDirectory);
  if (found === undefined) {
    throw new Fault(
      embeddedFaults.embedded_no_binaries,
      `no PostgreSQL binaries of version ${oldestMajor} or newer run on ${process.platform}-${process.arch}`,
    );
  }
  return found;
}

/**
 * Returns the binaries from the npm package if they can be run in place, or else a copy of them. A copy is needed if the user cannot read
 * them, or if npm did not run the script that links the libraries.
 */
export async function usePackage(
  deps: { log: Logger; environment: Environment },
  packaged: PackagedPostgres,
  options: { runAs: RunAs; copyTo: string },
): Promise<Binaries | undefined> {
  const inPlace = await probeBinaries(deps, options.runAs, join(packaged.native, "bin"));
  if (inPlace !== undefined) return inPlace;
  const copy = await copyPackage(packaged, options.copyTo);
  deps.log.info({ copy, version: packaged.version }, "copied the PostgreSQL binaries");
  return probeBinaries(deps, options.runAs, join(copy, "bin"));
}

async function findPackaged(
  deps: { log: Logger; environment: Environment },
  options: { runAs: RunAs; copyTo: string },
): Promise<Binaries | undefined> {
  const packaged = await findPackage();
  return packaged === undefined ? undefined : usePackage(deps, packaged, options);
}

async function probeBinaries(deps: { environment: Environment }, runAs: RunAs, directory: string): Promise<Binaries | undefined> {
  const versions = ["initdb", "postgres"].map(async (program) => {
    const { succeeded, output } = await runToEnd(runAs, deps.environment, join(directory, program), ["--version"]);
    return succeeded ? Number(/\(PostgreSQL\) (\d+)/.exec(output)?.[1]) : undefined;
  });
  const [initdb, postgres] = await Promise.all(versions);
  return initdb !== undefined && initdb === postgres ? { directory, major: initdb } : undefined;
}

async function findSystem(
  deps: { environment: Environment },
  options: { runAs: RunAs; dataMajor: number | undefined },
): Promise<Binaries | undefined> {
  const fromPath = (deps.environment["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const directories = [...fromPath, ...globSync(systemPlaces)].filter((folder) => globSync("initdb", { cwd: folder }).length > 0);
  const probes = await Promise.all(directories.map((directory) => probeBinaries(deps, options.runAs, directory)));
  const usable = probes.filter((binaries) => binaries !== undefined).filter(({ major }) => major >= oldestMajor);
  // The version must match existing data, even if a newer version is installed as well.
  return usable.find(({ major }) => major === options.dataMajor) ?? usable.toSorted((a, b) => b.major - a.major)[0];
}
