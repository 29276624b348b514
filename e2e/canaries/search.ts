import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

/** The canaries in a text or in bytes, in the clear or as base64 or hexadecimal digits. */
export function findCanaries(canaries: ReadonlyMap<string, string>, where: string, content: string | Buffer): string[] {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const found = [...canaries].filter(([, canary]) => forms(canary).some((form) => bytes.includes(form)));
  return found.map(([what]) => `${what} in ${where}`);
}

function forms(canary: string): string[] {
  const bytes = Buffer.from(canary);
  return [canary, bytes.toString("hex"), bytes.toString("base64").replace(/=+$/, "")];
}

/** The canaries in all files below a directory, but for those that are meant to hold one. */
export async function findInFiles(
  canaries: ReadonlyMap<string, string>,
  directory: string,
  meant: readonly string[],
): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found: string[] = [];
  for (const file of files.filter((path) => !meant.includes(relative(directory, path)))) {
    // The database removes files of its own while we look.
    const content = await readFile(file).catch(() => Buffer.alloc(0));
    found.push(...findCanaries(canaries, relative(directory, file), content));
  }
  return found;
}
