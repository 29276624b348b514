import { readdir } from "node:fs/promises";
import { listMounts } from "../../images/mounts.ts";
import { nameObject } from "../../names.ts";
import { runTool } from "../../run-tool.ts";

/** Lists the kernel objects of a host's instances: mounts, loop devices, control groups and nspawn's files. */
export async function listLeftovers(directory: string): Promise<string[]> {
  const { stdout } = await runTool("losetup", ["--list", "--noheadings", "--output", "BACK-FILE"]);
  const loops = stdout.split("\n").filter((line) => line.includes(directory));
  const hierarchies = (await readdir("/sys/fs/cgroup")).map((name) => `/sys/fs/cgroup/${name}`);
  const names = await Promise.all(hierarchies.map((folder) => readdir(folder).catch(() => [])));
  const groups = names.flat().filter((name) => name === nameObject("machine", directory));
  return [...(await listMounts(directory)), ...loops, ...groups];
}
