import { Fault } from "@cloudwright/platform";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import { nameObject } from "../names.ts";
import { createSerializer } from "../serialize.ts";

export interface Limits {
  readonly cpus: number;
  readonly memoryMib: number;
  readonly processes: number;
  /** True if processes may open every device of the host. Containers on a cluster's node need this. */
  readonly allDevices: boolean;
}

/**
 * The control groups of a host's instances. Each host folder has one parent group: `<group of the host>/<machine>/{launcher,instance}`. The
 * limits apply to `instance`. The launcher is in a group of its own, so that it survives if the instance runs out of memory.
 */
export interface Cgroups {
  /** Creates the groups of an instance and sets its limits. Existing groups of the instance must be empty. */
  create(uid: string, limits: Limits): Promise<void>;
  /** Returns the files, one per hierarchy, to which a process writes "0" to enter a group. */
  entriesOf(uid: string, part: "launcher" | "instance"): string[];
  /**
   * Allows or denies an instance access to a block device such as `7:3`. Has no effect with version 2, which has no file for device rules.
   */
  setDevice(uid: string, device: string, isAllowed: boolean): Promise<void>;
  /** Lists the processes of an instance, including its launcher. */
  listProcesses(uid: string): number[];
  /** Removes the groups of an instance. The groups must be empty. */
  remove(uid: string): Promise<void>;
  /** Kills all processes of an instance and waits until they are gone. */
  kill(uid: string, signal: AbortSignal | undefined): Promise<void>;
  /** Kills the processes of instances that are not in the list, and removes their groups. */
  removeOthers(uids: readonly string[], signal: AbortSignal | undefined): Promise<void>;
}

const periodUs = 100_000;
const mib = 1024 * 1024;
const killTimeoutMs = 30_000;
const controllers = ["cpu", "cpuset", "memory", "pids", "io"];
/** Devices that every container may open: null, zero, full, random, urandom, tty, console, ptmx, terminals, tun and fuse. */
const devices = ["1:3", "1:5", "1:7", "1:8", "1:9", "5:0", "5:1", "5:2", "136:*", "10:200", "10:229"];

/** Opens the host's control groups, with cgroups version 1 or 2. */
export function openCgroups({ directory, clock }: Pick<HostDeps, "directory" | "clock">, mountPoint = "/sys/fs/cgroup"): Cgroups {
  const isUnified = existsSync(join(mountPoint, "cgroup.controllers"));
  const hierarchies = isUnified ? [mountPoint] : listHierarchies(mountPoint);
  const host = nameObject("machine", directory);
  const serialize = createSerializer();
  const groupsOf = (name: string): string[] => hierarchies.map((hierarchy) => join(hierarchy, host, name));

  function list(name: string): number[] {
    return [...new Set(groupsOf(name).flatMap(listTree).flatMap(readProcesses))];
  }

  async function removeGroups(name: string): Promise<void> {
    for (const group of groupsOf(name).flatMap(listTree).toReversed()) await rmdir(group).catch(ignoreMissing);
  }

  async function killGroups(name: string, signal: AbortSignal | undefined): Promise<void> {
    const deadline = clock.now() + killTimeoutMs;
    for (let pids = list(name); pids.length > 0; pids = list(name)) {
      if (clock.now() > deadline)
        throw new Fault(
          hostsFaults.instance_failed,
          `the processes ${pids.join(", ")} of ${name} did not exit after they were killed`,
        );
      for (const pid of pids) sendSignal(pid, "SIGKILL");
      await clock.sleep(10, signal);
    }
  }

  /** Removes the host's own groups unless an instance still has groups in them. */
  async function removeHost(): Promise<void> {
    for (const hierarchy of hierarchies) await rmdir(join(hierarchy, host)).catch(ignoreBusy);
  }

  async function create(uid: string, limits: Limits): Promise<void> {
    const name = nameObject("machine", uid);
    await removeGroups(name);
    for (const hierarchy of hierarchies) {
      const levels = [hierarchy, join(hierarchy, host), join(hierarchy, host, name)];
      for (const [index, parent] of levels.entries()) {
        if (isUnified) await delegate(parent);
        const children = index < 2 ? [levels[index + 1] as string] : [join(parent, "launcher"), join(parent, "instance")];
        for (const child of children) {
          await mkdir(child, { recursive: true });
          if (!isUnified) await inheritCpuset(parent, child);
        }
      }
      const group = join(hierarchy, host, name, "instance");
      for (const [file, value] of renderLimits(limits)) {
        if (existsSync(join(group, file))) await writeFile(join(group, file), value);
      }
    }
  }

  return {
    create: (uid, limits) => serialize("groups", () => create(uid, limits)),
    entriesOf: (uid, part) => groupsOf(nameObject("machine", uid)).map((group) => join(group, part, "cgroup.procs")),
    async setDevice(uid, device, isAllowed) {
      const files = groupsOf(nameObject("machine", uid)).map((group) =>
        join(group, "instance", isAllowed ? "devices.allow" : "devices.deny"),
      );
      for (const file of files) if (existsSync(file)) await writeFile(file, `b ${device} rw`);
    },
    listProcesses: (uid) => list(nameObject("machine", uid)),
    remove: (uid) =>
      serialize("groups", async () => {
        await removeGroups(nameObject("machine", uid));
        await removeHost();
      }),
    kill: (uid, signal) => killGroups(nameObject("machine", uid), signal),
    async removeOthers(uids, signal) {
      const known = new Set(uids.map((uid) => nameObject("machine", uid)));
      const hosts = hierarchies.map((hierarchy) => join(hierarchy, host)).filter((group) => existsSync(group));
      const names = new Set((await Promise.all(hosts.map(listFolders))).flat());
      for (const name of names) {
        if (known.has(name)) continue;
        await killGroups(name, signal);
        await removeGroups(name);
      }
      await serialize("groups", removeHost);
    },
  };
}

/**
 * Returns the files and values for both versions. The caller skips files that a hierarchy does not have. The kernel requires this order.
 */
function renderLimits({ cpus, memoryMib, processes, allDevices }: Limits): [file: string, value: string][] {
  const quotaUs = Math.round(cpus * periodUs);
  const bytes = String(memoryMib * mib);
  const allowed = ["c *:* m", "b *:* m", ...devices.map((device) => `c ${device} rwm`)];
  return [
    ["cpu.cfs_period_us", String(periodUs)],
    ["cpu.cfs_quota_us", String(quotaUs)],
    ["cpu.max", `${quotaUs} ${periodUs}`],
    ["memory.limit_in_bytes", bytes],
    ["memory.memsw.limit_in_bytes", bytes],
    ["memory.max", bytes],
    ["memory.swap.max", "0"],
    ["pids.max", String(processes)],
    ...(allDevices
      ? []
      : [["devices.deny", "a"] as [string, string], ...allowed.map((rule): [string, string] => ["devices.allow", rule])]),
  ];
}

/** In version 1, a group of the cpuset controller accepts processes only after its processors and memory nodes are set. */
async function inheritCpuset(parent: string, child: string): Promise<void> {
  for (const file of ["cpuset.cpus", "cpuset.mems"]) {
    if (existsSync(join(child, file))) await writeFile(join(child, file), await readFile(join(parent, file)));
  }
  if (existsSync(join(child, "cpuset.cpus"))) await writeFile(join(child, "cgroup.clone_children"), "1");
}

/** In version 2, a controller is available in the children of a group only after it is delegated. */
async function delegate(group: string): Promise<void> {
  const available = (await readFile(join(group, "cgroup.controllers"), "utf8")).trim().split(" ");
  for (const controller of controllers.filter((each) => available.includes(each)))
    await writeFile(join(group, "cgroup.subtree_control"), `+${controller}`);
}

function listHierarchies(mountPoint: string): string[] {
  const entries = readdirSync(mountPoint, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(mountPoint, entry.name));
  return folders.filter((folder) => existsSync(join(folder, "cgroup.procs")));
}

/** Lists a group and all groups below it, parents first. */
function listTree(group: string): string[] {
  if (!existsSync(group)) return [];
  try {
    const entries = readdirSync(group, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [group, ...entries.flatMap((entry) => listTree(join(group, entry.name)))];
  } catch {
    // The group was removed in the meantime.
    return [];
  }
}

function readProcesses(group: string): number[] {
  try {
    const lines = readFileSync(join(group, "cgroup.procs"), "utf8").split("\n");
    return lines.filter((line) => line !== "").map(Number);
  } catch {
    return [];
  }
}

async function listFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

/** Sends a signal to a process. Does nothing if the process has exited. */
export function sendSignal(pid: number, signal: NodeJS.Signals | number): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** A group that contains other groups cannot be removed. */
function ignoreBusy(error: NodeJS.ErrnoException): void {
  if (!["ENOENT", "ENOTEMPTY", "EBUSY"].includes(error.code ?? "")) throw error;
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
