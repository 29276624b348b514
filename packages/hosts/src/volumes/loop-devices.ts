import { readdir, readFile } from "node:fs/promises";
import type { HostDeps } from "../host-deps.ts";
import type { BlockDevice, ToolUse } from "./disk-backend.ts";

interface LoopDevice extends BlockDevice {
  readonly file: string;
  /** True if the kernel removes the device when it is closed. */
  readonly isClosing: boolean;
}

/** Lists the loop devices whose files are in a folder. Includes devices whose files have been deleted. */
export async function listLoopDevices(folder: string): Promise<LoopDevice[]> {
  const names = (await readdir("/sys/block")).filter((name) => /^loop\d+$/.test(name));
  const found = await Promise.all(names.map(readLoopDevice));
  return found.filter((device) => device !== undefined).filter(({ file }) => file.startsWith(`${folder}/`));
}

async function readLoopDevice(name: string): Promise<LoopDevice | undefined> {
  const read = (path: string): Promise<string> => readFile(`/sys/block/${name}/${path}`, "utf8").catch(() => "");
  const [file, autoclear, device] = await Promise.all([read("loop/backing_file"), read("loop/autoclear"), read("dev")]);
  if (file === "") return undefined;
  const [major, minor] = device.trim().split(":").map(Number);
  if (major === undefined || minor === undefined) return undefined;
  return {
    path: `/dev/${name}`,
    major,
    minor,
    file: file.replace(/\n$/, "").replace(/ \(deleted\)$/, ""),
    isClosing: autoclear.trim() === "1",
  };
}

/**
 * Returns the loop device of a file, and creates it if necessary. A device that is about to be removed is kept. Bypasses the page cache if
 * the file system allows it.
 */
export async function openLoopDevice({ run }: Pick<HostDeps, "run">, file: string, use: ToolUse): Promise<BlockDevice> {
  const folder = file.slice(0, file.lastIndexOf("/"));
  const find = async (): Promise<LoopDevice | undefined> =>
    (await listLoopDevices(folder)).find((device) => device.file === file);
  const existing = await find();
  if (existing !== undefined && !existing.isClosing) return existing;
  // With --nooverlap, losetup returns the file's existing device, if any, and cancels its removal.
  const { stdout } = await run("losetup", ["--find", "--show", "--nooverlap", file], use);
  const path = stdout.trim();
  await run("losetup", ["--direct-io=on", path], { ...use, accept: [1] });
  const opened = await readLoopDevice(path.slice("/dev/".length));
  if (opened === undefined) throw new Error(`${path} disappeared right after it was created for ${file}`);
  return opened;
}
