import { listMounts, nameObject, runTool } from "@cloudwright/hosts";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { waitUntil } from "./wait-until.ts";

const cgroups = "/sys/fs/cgroup";
const nspawnFolders = ["propagate", "unix-export"].map((name) => `/run/systemd/nspawn/${name}`);

/** What the host of a home directory can have on this machine, apart from its folder. */
interface HostPlace {
  /** Folder of the host. */
  readonly directory: string;
  /** Folder in /run with the names of instances. */
  readonly names: string;
  /** Name of the control groups of all instances. */
  readonly group: string;
}

const placeOf = (home: string): HostPlace => {
  const directory = join(home, "agent", "host");
  const names = `/run/cw-dns-${createHash("sha256").update(directory).digest("hex").slice(0, 10)}`;
  return { directory, names, group: nameObject("machine", directory) };
};

const read = (program: string, ...args: string[]): string[] => execFileSync(program, args, { encoding: "utf8" }).split("\n");
const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
const listOwnLinks = (): string[] => read("ip", "-brief", "link").filter((line) => line.startsWith("cw"));
const listOwnTables = (): string[] => read("nft", "list", "tables").filter((line) => /\bcw/.test(line));
const listOwnNamespaces = (): string[] => namesIn("/run/netns").filter((name) => name.startsWith("cw"));

/**
 * Lists everything on this machine that the host of a home directory creates: interfaces, rules, namespaces, loop devices, mounts, groups of
 * processes, name servers and files in /run. Some of these are in namespaces of this suite. The names of the others contain the home
 * directory or a hash of it, because other programs of this machine change them too.
 */
export function listHostObjects(home: string): string[] {
  const { directory, names, group } = placeOf(home);
  const inHost = (line: string): boolean => line.includes(`${directory}/`);
  return [
    ...listOwnLinks(),
    ...listOwnTables(),
    ...listOwnNamespaces(),
    ...(existsSync(names) ? [names] : []),
    ...listLoops(directory).map(({ file }) => file),
    ...readFileSync("/proc/self/mounts", "utf8").split("\n").filter(inHost),
    ...["", ...namesIn(cgroups)]
      .filter((name) => existsSync(join(cgroups, name, group)))
      .map((name) => `cgroup ${name}/${group}`),
    ...listProcesses("--pid-file=", directory).map((pid) => `dnsmasq ${pid}`),
  ];
}

/** Lists the files in /run/systemd/nspawn that belong to the instances of a host. */
export function listNspawnFiles(home: string): string[] {
  const uids = namesIn(join(placeOf(home).directory, "instances"));
  const paths = uids.flatMap((uid) => nspawnFolders.map((folder) => join(folder, nameObject("machine", uid))));
  return paths.filter((path) => existsSync(path));
}

/**
 * Deletes everything that a reboot of this machine would delete: processes of instances, name servers, interfaces, rules, namespaces,
 * mounts, loop devices, control groups and files in /run. The agent must not be running.
 */
export async function rebootHost(home: string): Promise<void> {
  const { directory, names, group } = placeOf(home);
  const groups = ["", ...namesIn(cgroups)].map((name) => join(cgroups, name, group)).filter((folder) => existsSync(folder));
  await waitUntil("all processes of instances have ended", () => {
    const pids = [...groups.flatMap(listMembers), ...listProcesses("--pid-file=", directory)];
    for (const pid of new Set(pids)) kill(pid);
    return pids.length === 0;
  });
  for (const folder of groups.flatMap(listTree).toReversed()) await runTool("rmdir", [folder]);
  for (const line of listOwnTables()) await runTool("nft", ["delete", ...line.split(" ")]);
  for (const line of listOwnLinks()) await runTool("ip", ["link", "delete", line.split(/[@ ]/)[0] ?? ""], { accept: [1] });
  for (const name of listOwnNamespaces()) await runTool("ip", ["netns", "delete", name]);
  for (const point of (await listMounts(directory)).toReversed()) await runTool("umount", ["--lazy", point]);
  for (const { device } of listLoops(directory)) await runTool("losetup", ["--detach", device], { accept: [1] });
  await waitUntil("all loop devices are gone", () => listLoops(directory).length === 0);
  await rm(names, { recursive: true, force: true });
  for (const file of listNspawnFiles(home)) await rm(file, { recursive: true, force: true });
}

function listLoops(directory: string): { readonly device: string; readonly file: string }[] {
  return read("losetup", "--list", "--noheadings", "--raw", "--output", "NAME,BACK-FILE").flatMap((line) => {
    const [device = "", file = ""] = line.split(" ");
    return file.startsWith(`${directory}/`) ? [{ device, file }] : [];
  });
}

/** Lists the processes with an argument that names a file below a folder. */
function listProcesses(option: string, directory: string): number[] {
  return namesIn("/proc").flatMap((pid) => {
    try {
      const isOurs = /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`${option}${directory}/`);
      return isOurs ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });
}

function listTree(group: string): string[] {
  const below = readdirSync(group, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [group, ...below.flatMap(({ name }) => listTree(join(group, name)))];
}

function listMembers(group: string): number[] {
  const lines = listTree(group).flatMap((each) => readFileSync(join(each, "cgroup.procs"), "utf8").split("\n"));
  return lines.filter((line) => line !== "").map(Number);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has exited.
  }
}
