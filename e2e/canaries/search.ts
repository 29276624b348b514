import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { unpack } from "./unpack.ts";

/** Finds canaries in text or bytes, whether plain, base64, hexadecimal or compressed. */
export function findCanaries(canaries: ReadonlyMap<string, string>, where: string, content: string | Buffer): string[] {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const parts = unpack(bytes);
  const found = [...canaries].filter(([, canary]) => forms(canary).some((form) => parts.some((part) => part.includes(form))));
  return found.map(([what]) => `${what} in ${where}`);
}

function forms(canary: string): string[] {
  // The base64 form of a value depends on its offset in the data, so there are three variants. The edge characters depend on neighbouring
  // bytes and are cut off.
  const encoded = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), Buffer.from(canary)]);
    const kept = whole.length - (whole.length % 3);
    return whole
      .subarray(0, kept)
      .toString("base64")
      .slice(before === 0 ? 0 : 4);
  });
  return [canary, Buffer.from(canary).toString("hex"), ...encoded];
}

/** Finds canaries in all files under a directory. Skips the files in `meant`, and folders listed there with a trailing "/". */
export async function findInFiles(
  canaries: ReadonlyMap<string, string>,
  directory: string,
  meant: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  const isMeant = (path: string): boolean => meant.some((each) => path === each || (each.endsWith("/") && path.startsWith(each)));
  for (const file of (await filesBelow(directory)).filter((path) => !isMeant(relative(directory, path)))) {
    // The database and the agent may delete their files during the search.
    const content = await readFile(file).catch(() => Buffer.alloc(0));
    found.push(...findCanaries(canaries, relative(directory, file), content));
  }
  return found;
}

/** Lists all files under an existing directory. Folders that are deleted during the search count as empty. */
async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(directory, entry.name));
  const below = await Promise.all(folders.map((folder) => filesBelow(folder).catch(emptyWhenDeleted)));
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(directory, entry.name));
  return [...files, ...below.flat()];
}

function emptyWhenDeleted(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT") return [];
  throw error;
}
