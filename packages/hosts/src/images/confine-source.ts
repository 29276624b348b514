import { Fault } from "@cloudwright/platform";
import { realpath } from "node:fs/promises";
import { isAbsolute, sep } from "node:path";
import { hostsFaults } from "../faults.ts";

/**
 * Returns the path with all symbolic links resolved. Throws unless it is below one of the folders or is one of the files. The error is the
 * same for paths that do not exist, because it must not reveal what exists elsewhere on the machine.
 */
export async function confineSource(
  path: string,
  { folders, files = [] }: { readonly folders: readonly string[]; readonly files?: readonly string[] },
): Promise<string> {
  const resolve = (name: string): Promise<string | undefined> => realpath(name).catch(() => undefined);
  const [found, roots, exact] = await Promise.all([
    isAbsolute(path) ? resolve(path) : undefined,
    Promise.all(folders.map(resolve)),
    Promise.all(files.map(resolve)),
  ]);
  const isBelow = (root: string | undefined): boolean => root !== undefined && found?.startsWith(`${root}${sep}`) === true;
  if (found !== undefined && (roots.some(isBelow) || exact.includes(found))) return found;
  throw new Fault(
    hostsFaults.image_source_denied,
    `"${path}" does not exist below a folder from which images may be imported: ${folders.join(", ") || "there is none"}`,
  );
}
