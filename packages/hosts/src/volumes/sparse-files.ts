import { Fault } from "@cloudwright/platform";
import { mkdir, readdir, rename, rm, stat, statfs, truncate, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import type { DiskBackend, ToolUse } from "./disk-backend.ts";
import { listLoopDevices, openLoopDevice } from "./loop-devices.ts";
import { syncPath } from "./sync-path.ts";

const suffix = ".img";
const partial = ".img.next";
const copyTimeoutMs = 6 * 3_600_000;
const gib = 1024 ** 3;

/** Stores volumes as sparse files in a folder, and attaches them through loop devices. */
export async function openSparseFiles(
  deps: Pick<HostDeps, "run">,
  { folder, overcommit }: { readonly folder: string; readonly overcommit: number },
): Promise<DiskBackend> {
  const { run } = deps;
  const snapshotFolder = join(folder, "snapshots");
  await mkdir(snapshotFolder, { recursive: true, mode: 0o700 });
  const fileOf = (uid: string): string => join(folder, `${uid}${suffix}`);
  const snapshotOf = (uid: string): string => join(snapshotFolder, `${uid}${suffix}`);
  const findDevice: DiskBackend["findDevice"] = async (uid) =>
    (await listLoopDevices(folder)).find(({ file }) => file === fileOf(uid));

  return {
    async requireSpace(additionalBytes, disks) {
      const { bavail, bsize } = await statfs(folder);
      const unwritten = await Promise.all(
        disks.map(async ({ uid, bytes }) => Math.max(0, bytes - (await allocatedBytes(fileOf(uid))))),
      );
      const promised = unwritten.reduce((sum, bytes) => sum + bytes, 0);
      if (promised + additionalBytes <= overcommit * bavail * bsize) return;
      throw new Fault(
        hostsFaults.no_disk_space,
        `${folder} has ${toGib(bavail * bsize)} GiB free, and its volumes may still write ${toGib(promised)} GiB; ${toGib(additionalBytes)} GiB more would exceed the overcommit ratio of ${overcommit}`,
      );
    },
    findSize: async (uid) => (await stat(fileOf(uid)).catch(ignoreMissing))?.size,
    async create({ uid, bytes, fromSnapshot }, use) {
      if (fromSnapshot === undefined) {
        await writeFile(`${fileOf(uid)}.next`, "", { mode: 0o600 });
      } else {
        await copy(deps, snapshotOf(fromSnapshot), `${fileOf(uid)}.next`, use);
      }
      await truncate(`${fileOf(uid)}.next`, bytes);
      await publish(fileOf(uid));
    },
    async grow(uid, bytes, use) {
      const file = fileOf(uid);
      if ((await stat(file)).size < bytes) {
        await truncate(file, bytes);
        await syncPath(file);
      }
      const device = await findDevice(uid);
      if (device !== undefined) await run("losetup", ["--set-capacity", device.path], use);
    },
    async remove(uid) {
      await rm(fileOf(uid), { force: true });
      await rm(`${fileOf(uid)}.next`, { force: true });
      await syncPath(folder);
    },
    findDevice,
    openDevice: (uid, use) => openLoopDevice(deps, fileOf(uid), use),
    async closeDevice(uid, use) {
      const device = await findDevice(uid);
      // The device may have disappeared in the meantime.
      if (device !== undefined) await run("losetup", ["--detach", device.path], { ...use, accept: [1] });
    },
    listOpen: async () => (await listLoopDevices(folder)).map(({ file }) => basename(file, suffix)),
    hasInstantSnapshots: () => canCloneFiles(deps, folder),
    async createSnapshot(uid, snapshotUid, use) {
      // A copy that fills the disk would make writes of running instances fail.
      const [needed, { bavail, bsize }] = await Promise.all([allocatedBytes(fileOf(uid)), statfs(folder)]);
      if (needed > bavail * bsize && !(await canCloneFiles(deps, folder))) {
        throw new Fault(
          hostsFaults.no_disk_space,
          `${folder} has ${toGib(bavail * bsize)} GiB free, but a snapshot of volume ${uid} needs ${toGib(needed)} GiB`,
        );
      }
      await copy(deps, fileOf(uid), `${snapshotOf(snapshotUid)}.next`, use);
      await publish(snapshotOf(snapshotUid));
    },
    async removeSnapshot(uid) {
      await rm(snapshotOf(uid), { force: true });
      await rm(`${snapshotOf(uid)}.next`, { force: true });
      await syncPath(snapshotFolder);
    },
    async removeLeftovers(uid) {
      await rm(`${fileOf(uid)}.next`, { force: true });
      await rm(`${snapshotOf(uid)}.next`, { force: true });
    },
    async listStored() {
      const [files = [], snapshots = []] = await Promise.all([folder, snapshotFolder].map(listNames));
      const select = (names: readonly string[], ending: string): string[] =>
        names.filter((name) => name.endsWith(ending)).map((name) => basename(name, ending));
      return {
        disks: select(files, suffix),
        snapshots: select(snapshots, suffix),
        leftovers: [...select(files, partial), ...select(snapshots, partial)],
      };
    },
  };
}

async function copy({ run }: Pick<HostDeps, "run">, from: string, to: string, use: ToolUse): Promise<void> {
  if ((await stat(from).catch(ignoreMissing)) === undefined) {
    throw new Fault(hostsFaults.volume_not_found, `${from} does not exist`);
  }
  try {
    await run("cp", ["--sparse=always", "--reflink=auto", "--", from, to], { ...use, timeoutMs: copyTimeoutMs });
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  }
}

/** Renames a finished file to its final name, so that the file is either complete or absent, even after a power cut. */
async function publish(file: string): Promise<void> {
  await syncPath(`${file}.next`);
  await rename(`${file}.next`, file);
  await syncPath(dirname(file));
}

async function allocatedBytes(file: string): Promise<number> {
  return ((await stat(file).catch(ignoreMissing))?.blocks ?? 0) * 512;
}

/** Returns true if the file system can share the blocks of two files, as XFS and Btrfs do. */
async function canCloneFiles({ run }: Pick<HostDeps, "run">, folder: string): Promise<boolean> {
  const [from, to] = [join(folder, `.clone-${process.pid}`), join(folder, `.clone-${process.pid}-copy`)];
  try {
    await writeFile(from, "x".repeat(4096), { mode: 0o600 });
    return (await run("cp", ["--reflink=always", "--", from, to], { accept: [1] })).code === 0;
  } finally {
    await Promise.all([rm(from, { force: true }), rm(to, { force: true })]);
  }
}

async function listNames(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(ignoreMissing)) ?? [];
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT") return undefined;
  throw error;
}

const toGib = (bytes: number): string => (bytes / gib).toFixed(1);
