import { chmod, chown, lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";

const whiteout = ".wh.";
const opaque = ".wh..wh..opq";

/**
 * Moves the files of an extracted OCI layer into a root file system and applies the layer's whiteouts. Both folders must be on the same
 * file system. Only real folders are entered, never links, so that a link in an earlier layer cannot redirect a later layer outside the
 * root.
 */
export async function applyLayer(layer: string, root: string): Promise<void> {
  const names = await readdir(layer);
  if (names.includes(opaque)) await empty(root);
  const hidden = names.filter((name) => name.startsWith(whiteout) && name !== opaque).map((name) => name.slice(whiteout.length));
  // A whiteout names an entry of its own folder. `.` and `..` would name other folders.
  for (const name of hidden.filter((each) => !["", ".", ".."].includes(each)))
    await rm(join(root, name), { recursive: true, force: true });
  for (const name of names.filter((each) => !each.startsWith(whiteout))) await place(join(layer, name), join(root, name));
}

async function place(source: string, target: string): Promise<void> {
  const from = await lstat(source);
  const to = await lstat(target).catch(() => undefined);
  if (!from.isDirectory()) {
    if (to !== undefined) await rm(target, { recursive: true, force: true });
    return rename(source, target);
  }
  if (to?.isDirectory() !== true) {
    if (to !== undefined) await rm(target);
    await mkdir(target);
  }
  await applyLayer(source, target);
  await chown(target, from.uid, from.gid);
  await chmod(target, from.mode & 0o7777);
}

async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}
