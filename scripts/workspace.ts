import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The fields of a package.json that guards read. */
export interface Manifest {
  readonly name: string;
  readonly workspaces?: readonly string[];
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** A package of the workspace, or the root package. */
export interface Package {
  /** Path relative to the root, or `.` for the root itself. */
  readonly folder: string;
  /** Name in layers.json: the last segment of the folder. */
  readonly name: string;
  readonly manifest: Manifest;
}

/** npm scope of all packages. */
export const scope = "@cloudwright/";

/** Lists the root package first, then the workspace packages. */
export function listPackages(root: string): Package[] {
  const top = readPackage(root, ".");
  const patterns = (top.manifest.workspaces ?? []).map((pattern) => `${pattern}/package.json`);
  const folders = globSync(patterns, { cwd: root }).map(dirname).toSorted();
  return [top, ...folders.map((folder) => readPackage(root, folder))];
}

/** Returns the package that a file belongs to: the one in the nearest parent folder. */
export function getPackageOf(packages: readonly Package[], file: string): Package {
  const owners = packages.filter(({ folder }) => folder === "." || file.startsWith(`${folder}/`));
  return owners.reduce((nearest, other) => (other.folder.length > nearest.folder.length ? other : nearest));
}

/** Lists all files that git tracks or would track, relative to the root and with forward slashes. */
export function listTrackedFiles(root: string): string[] {
  const listing = execFileSync(
    "git",
    ["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  const files = new Set(listing.split("\0").filter((file) => file !== ""));
  return [...files].filter((file) => existsSync(join(root, file))).toSorted();
}

/** Prints the violations that a guard found. Sets the exit code to 1 if there are any. */
export function report(guard: string, violations: readonly string[]): void {
  for (const violation of violations) console.error(`${guard}: ${violation}`);
  if (violations.length > 0) process.exitCode = 1;
}

function readPackage(root: string, folder: string): Package {
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
  return { folder, name: basename(folder), manifest };
}
