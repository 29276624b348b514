import { readdir } from "node:fs/promises";
import { listMounts } from "../../images/mounts.ts";
import { nameObject } from "../../names.ts";
import { runTool } from "../../run-tool.ts";

/** Lists what is left of a host's instances in the kernel: mounts, loop devices and control groups. */
export async function listLeftovers(directory: string): Promise<string[]> {
  const { stdout } = await runTool("losetup", ["--list", "--noheadings", "--output", "BACK-FILE"]);
  const loops = stdout.split("\n").filter((line) => line.includes(directory));
  const hierarchies = (await readdir("/sys/fs/cgroup")).map((name) => `/sys/fs/cgroup/${name}`);
  const names = await Promise.all(hierarchies.map((folder) => readdir(folder).catch(() => [])));
  const groups = names.flat().filter((name) => name === nameObject("machine", directory));
  return [...(await listMounts(directory)), ...loops, ...groups];
}
