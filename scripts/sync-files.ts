import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** File contents, keyed by path relative to the root. */
export type Files = ReadonlyMap<string, string>;

interface Sync {
  readonly root: string;
  readonly files: Files;
  /** Folders that may contain only these files. Any other file in them is outdated. */
  readonly owned?: readonly string[];
  /** Whether to write the files. If false, they are only compared. */
  readonly write: boolean;
}

/** Writes files with the given contents, or only compares them. Returns the paths that differ. */
export function syncFiles({ root, files, owned = [], write }: Sync): string[] {
  const changed = [...files].filter(([path, content]) => readText(join(root, path)) !== content);
  const left = owned.flatMap((folder) => listFiles(root, folder)).filter((path) => !files.has(path));
  if (write) {
    for (const [path, content] of changed) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    for (const path of left) rmSync(join(root, path));
  }
  return [...changed.map(([path]) => path), ...left].toSorted();
}

/** Lists the files in a folder as paths relative to the root. Returns an empty list if the folder does not exist. */
export function listFiles(root: string, folder: string): string[] {
  const start = join(root, folder);
  if (!existsSync(start)) return [];
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .toSorted();
}

function readText(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
