import { readdir, readFile, readlink, stat } from "node:fs/promises";
import type { BlockDevice } from "./disk-backend.ts";

/** A mount of a block device. `pid` is a process in the mount namespace that contains it. */
export interface DeviceMount {
  readonly pid: number;
  readonly path: string;
}

/**
 * Lists the mounts of a device in all mount namespaces of the machine, including nested containers. Reads each namespace through one of its
 * processes: `preferredPid` if it belongs to that namespace.
 */
export async function findMounts(device: BlockDevice, preferredPid?: number): Promise<DeviceMount[]> {
  const pids = await listProcesses();
  const ordered = preferredPid === undefined ? pids : [preferredPid, ...pids.filter((pid) => pid !== preferredPid)];
  const seen = new Set<string>();
  const mounts: DeviceMount[] = [];
  for (const pid of ordered) {
    const namespace = await readlink(`/proc/${pid}/ns/mnt`).catch(() => undefined);
    if (namespace === undefined || seen.has(namespace)) continue;
    seen.add(namespace);
    const table = await readFile(`/proc/${pid}/mountinfo`, "utf8").catch(() => "");
    mounts.push(...parseMounts(table, device).map((path) => ({ pid, path })));
  }
  return mounts;
}

/** Returns the mount points of a device in a table such as /proc/self/mountinfo. */
export function parseMounts(table: string, { major, minor }: Pick<BlockDevice, "major" | "minor">): string[] {
  return table.split("\n").flatMap((line) => {
    const [, , number, , path] = line.split(" ");
    if (number !== `${major}:${minor}` || path === undefined) return [];
    // The kernel writes spaces and backslashes as octal numbers.
    return [path.replaceAll(/\\(?<code>[0-7]{3})/g, (_, code: string) => String.fromCodePoint(parseInt(code, 8)))];
  });
}

/** Describes everything that uses a device, one line each. */
export async function describeUsers(device: BlockDevice, leaderPid?: number): Promise<string[]> {
  const [mounts, holders, swaps, openers] = await Promise.all([
    findMounts(device, leaderPid),
    readdir(`/sys/dev/block/${device.major}:${device.minor}/holders`).catch(() => []),
    readFile("/proc/swaps", "utf8").catch(() => ""),
    findOpeners(device),
  ]);
  const name = device.path.slice("/dev/".length);
  return [
    ...mounts.map(
      ({ pid, path }) => `mounted at ${path}${pid === leaderPid ? "" : ` (in the mount namespace of process ${pid})`}`,
    ),
    ...holders.map((holder) => `part of ${holder}`),
    ...(swaps.includes(`/${name} `) ? ["used as swap space"] : []),
    ...openers.map(({ pid, program }) => `open in process ${pid} (${program})`),
  ];
}

async function findOpeners({ major, minor }: BlockDevice): Promise<{ pid: number; program: string }[]> {
  const found = await Promise.all(
    (await listProcesses())
      .filter((pid) => pid !== process.pid)
      .map(async (pid) => {
        const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
        const isOpen = await Promise.all(descriptors.map((descriptor) => isDevice(`/proc/${pid}/fd/${descriptor}`)));
        if (!isOpen.includes(true)) return [];
        const program = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "?");
        return [{ pid, program: program.trim() }];
      }),
  );
  return found.flat();

  async function isDevice(path: string): Promise<boolean> {
    // Follows only links to device files, because others may block, for example on an unreachable network file system.
    const target = await readlink(path).catch(() => "");
    if (!target.startsWith("/dev/")) return false;
    const status = await stat(path).catch(() => undefined);
    return status !== undefined && status.isBlockDevice() && status.rdev === deviceNumber(major, minor);
  }
}

/** Combines the major and minor numbers of a device as Linux does. */
export function deviceNumber(major: number, minor: number): number {
  return Number(
    ((BigInt(major) & 0xffff_f000n) << 32n) |
      ((BigInt(major) & 0xfffn) << 8n) |
      ((BigInt(minor) & 0xffff_ff00n) << 12n) |
      (BigInt(minor) & 0xffn),
  );
}

async function listProcesses(): Promise<number[]> {
  return (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
}
