import { rename, rm, writeFile } from "node:fs/promises";
import { createToken } from "@cloudwright/platform";

/** Replaces a file's content so that readers find either the old or the new one. `mayReplace` has the last word. */
export async function replaceFile(path: string, content: string, mayReplace: () => Promise<boolean>): Promise<boolean> {
  const next = `${path}.${createToken().slice(0, 12)}.tmp`;
  try {
    // Not forced to the disk: a simulated cloud has to outlive its process, not the machine.
    await writeFile(next, content, { mode: 0o600 });
    if (!(await mayReplace())) return false;
    await rename(next, path);
    return true;
  } finally {
    await rm(next, { force: true });
  }
}
