import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** Contents by path relative to the repository's root. */
export type Files = ReadonlyMap<string, string>;

interface Sync {
  readonly root: string;
  readonly files: Files;
  /** Folders that hold nothing but these files: whatever else lies there is stale. */
  readonly owned?: readonly string[];
  /** False only compares. */
  readonly write: boolean;
}

/** Brings files on disk to the given contents, or only compares; returns the paths that were not as they should be. */
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

/** The files below a folder, as paths relative to the root; none when the folder does not exist. */
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
