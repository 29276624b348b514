import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A copy of the repository's sources that can be modified and run. */
export interface RepositoryCopy {
  readonly root: string;
  read(file: string): Promise<string>;
  write(file: string, text: string): Promise<void>;
  /** Replaces one occurrence of `before`. Throws if there is none. */
  edit(file: string, before: string, after: string): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Copies the sources without the benchmarks, docs, end-to-end tests and console. Third-party packages are linked to the installed ones, and
 * workspace packages to their copies.
 */
export async function copyRepository(): Promise<RepositoryCopy> {
  const target = await mkdtemp(join(tmpdir(), "cloudwright-copy-"));
  const at = (file: string): string => join(target, file);
  const listing = execFileSync(
    "git",
    ["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  const needed = listing.split("\0").filter((file) => file !== "" && !/^(bench|docs|e2e|apps\/console)\//.test(file));
  for (const folder of new Set(needed.map(dirname))) await mkdir(at(folder), { recursive: true });
  for (const file of needed) await copyFile(join(root, file), at(file));
  linkModules(target);
  const read = (file: string): Promise<string> => readFile(at(file), "utf8");
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(dirname(at(file)), { recursive: true });
    await writeFile(at(file), text);
  };
  return {
    root: target,
    read,
    write,
    async edit(file, before, after) {
      const text = await read(file);
      if (!text.includes(before)) throw new Error(`${file} does not contain ${before}`);
      await write(file, text.replace(before, after));
    },
    remove: () => rm(target, { recursive: true, force: true }),
  };
}

function linkModules(target: string): void {
  const [from, to] = [join(root, "node_modules"), join(target, "node_modules")];
  mkdirSync(join(to, "@cloudwright"), { recursive: true });
  for (const name of readdirSync(from))
    if (name !== "@cloudwright" && name !== ".cache") symlinkSync(join(from, name), join(to, name));
  for (const kind of ["packages", "apps"]) {
    for (const name of readdirSync(join(target, kind))) {
      symlinkSync(join(target, kind, name), join(to, "@cloudwright", name));
      const own = join(root, kind, name, "node_modules");
      if (readdirSync(join(root, kind, name)).includes("node_modules"))
        symlinkSync(own, join(target, kind, name, "node_modules"));
    }
  }
}
