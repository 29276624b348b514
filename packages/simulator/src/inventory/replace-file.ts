import { rename, rm, writeFile } from "node:fs/promises";
import { createToken } from "@cloudwright/platform";

/**
 * Replaces a file atomically, so that readers see either the old or the new content. Calls `mayReplace` just before the replacement and
 * keeps the old file if it returns false.
 */
export async function replaceFile(path: string, content: string, mayReplace: () => Promise<boolean>): Promise<boolean> {
  const next = `${path}.${createToken().slice(0, 12)}.tmp`;
  try {
    // Not flushed to disk, because a simulated cloud must survive a killed process but need not survive a power failure.
    await writeFile(next, content, { mode: 0o600 });
    if (!(await mayReplace())) return false;
    await rename(next, path);
    return true;
  } finally {
    await rm(next, { force: true });
  }
}
