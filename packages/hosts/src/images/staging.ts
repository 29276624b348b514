import { Fault } from "@cloudwright/platform";
import { mkdir, mkdtemp, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import { listMounts } from "./mounts.ts";

const temporary = ".staging-";
const syncTimeoutMs = 10 * 60_000;

/**
 * Fills a temporary folder and renames it. The target is therefore either complete or absent, even after a power cut. A failed attempt
 * leaves nothing behind.
 */
export async function stage(
  { run }: Pick<HostDeps, "run">,
  target: { readonly folder: string; readonly name: string },
  signal: AbortSignal | undefined,
  fill: (staging: string) => Promise<void>,
): Promise<void> {
  const staging = await mkdtemp(join(target.folder, temporary));
  try {
    await fill(staging);
    // The files are written to the disk before the rename, so that a power cut cannot leave an image with missing contents.
    await run("sync", ["--file-system", staging], { signal, timeoutMs: syncTimeoutMs });
    await rename(staging, join(target.folder, target.name));
    await syncFolder(target.folder);
  } catch (error) {
    await removeTree(staging).catch(() => undefined);
    throw error;
  }
}

/** Removes the temporary folders of attempts that were interrupted. */
export async function removeStaging(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) if (name.startsWith(temporary)) await removeTree(join(folder, name));
}

/**
 * Renames a folder to a temporary name in one step, so that it is no longer visible. `removeTree` or the next `removeStaging` deletes it.
 */
export async function retire(folder: string, name: string): Promise<string> {
  const retired = join(folder, `${temporary}removed-${name}`);
  await removeTree(retired);
  await rename(join(folder, name), retired);
  await syncFolder(folder);
  return retired;
}

/** Deletes a folder. Throws if a file system is mounted below it, because the contents of that file system would be deleted, too. */
export async function removeTree(folder: string): Promise<void> {
  const [mounted] = await listMounts(folder);
  if (mounted !== undefined)
    throw new Fault(
      hostsFaults.tool_failed,
      `${folder} was not deleted, because a file system is mounted on ${mounted}; unmount it first`,
    );
  await rm(folder, { recursive: true, force: true });
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
