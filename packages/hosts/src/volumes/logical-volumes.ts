import { Fault, parseJson } from "@cloudwright/platform";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import type { BlockDevice, DiskBackend, ToolUse } from "./disk-backend.ts";

/** An LVM thin pool, created by the operator. Other logical volumes in its volume group are never changed. */
export interface ThinPool {
  readonly group: string;
  readonly pool: string;
}

interface Row {
  readonly lv_name: string;
  readonly lv_size: string;
  readonly lv_kernel_major: string;
  readonly lv_kernel_minor: string;
}

const [disk, snapshot, partial] = ["cw-", "cws-", ".next"] as const;
const columns = "lv_name,lv_size,lv_kernel_major,lv_kernel_minor";

/** Stores volumes as thin logical volumes. Their blocks are zero until they are written, and their snapshots are instant. */
export function openLogicalVolumes(
  { run }: Pick<HostDeps, "run">,
  { group, pool, overcommit }: ThinPool & { readonly overcommit: number },
): DiskBackend {
  async function list(): Promise<Row[]> {
    const format = ["--reportformat", "json", "--units", "b", "--nosuffix", "--options", columns];
    const { stdout } = await run("lvs", [...format, group]);
    return (parseJson(stdout) as { report: { lv: Row[] }[] } | undefined)?.report.flatMap(({ lv }) => lv) ?? [];
  }
  const find = async (name: string): Promise<Row | undefined> => (await list()).find((row) => row.lv_name === name);
  const create = (args: readonly string[], use: ToolUse) =>
    run("lvcreate", ["--yes", "--activate", "n", "--setactivationskip", "n", ...args], use);
  async function remove(name: string, use: ToolUse): Promise<void> {
    if ((await find(name)) !== undefined) await run("lvremove", ["--yes", `${group}/${name}`], use);
  }
  async function findDevice(uid: string): Promise<BlockDevice | undefined> {
    const row = await find(`${disk}${uid}`);
    // An inactive volume has the major number -1.
    if (row === undefined || Number(row.lv_kernel_major) < 0) return undefined;
    const [major, minor] = [Number(row.lv_kernel_major), Number(row.lv_kernel_minor)];
    return { path: `/dev/${group}/${row.lv_name}`, major, minor };
  }
  async function grow(name: string, bytes: number, use: ToolUse): Promise<void> {
    const row = await find(name);
    if (Number(row?.lv_size) < bytes) await run("lvextend", ["--size", `${bytes}b`, `${group}/${name}`], use);
  }

  return {
    async requireSpace(additionalBytes, disks) {
      const size = Number((await find(pool))?.lv_size ?? 0);
      const promised = disks.reduce((sum, { bytes }) => sum + bytes, 0);
      if (promised + additionalBytes <= overcommit * size) return;
      throw new Fault(
        hostsFaults.no_disk_space,
        `the thin pool ${group}/${pool} has ${size} bytes; with ${additionalBytes} more bytes, its volumes would have ${promised + additionalBytes} bytes, which exceeds the overcommit ratio of ${overcommit}`,
      );
    },
    async findSize(uid) {
      const row = await find(`${disk}${uid}`);
      return row === undefined ? undefined : Number(row.lv_size);
    },
    async create({ uid, bytes, fromSnapshot }, use) {
      const name = `${disk}${uid}`;
      // An earlier, interrupted attempt may have completed the volume.
      if ((await find(name)) !== undefined) return;
      await remove(`${name}${partial}`, use);
      const origin =
        fromSnapshot === undefined
          ? ["--type", "thin", "--thinpool", pool, "--virtualsize", `${bytes}b`, "--name", `${name}${partial}`, group]
          : ["--snapshot", "--name", `${name}${partial}`, `${group}/${snapshot}${fromSnapshot}`];
      await create(origin, use);
      await grow(`${name}${partial}`, bytes, use);
      await run("lvrename", [group, `${name}${partial}`, name], use);
    },
    grow: (uid, bytes, use) => grow(`${disk}${uid}`, bytes, use),
    async remove(uid, use) {
      await remove(`${disk}${uid}`, use);
      await remove(`${disk}${uid}${partial}`, use);
    },
    findDevice,
    async openDevice(uid, use) {
      await run("lvchange", ["--activate", "y", `${group}/${disk}${uid}`], use);
      const device = await findDevice(uid);
      if (device !== undefined) return device;
      throw new Fault(hostsFaults.volume_not_found, `the logical volume ${group}/${disk}${uid} no longer exists`);
    },
    async closeDevice(uid, use) {
      // Exit code 5 means that the device is open. The caller checks that itself.
      await run("lvchange", ["--activate", "n", `${group}/${disk}${uid}`], { ...use, accept: [5] });
    },
    async listOpen() {
      const open = (await list()).filter((row) => row.lv_name.startsWith(disk) && Number(row.lv_kernel_major) >= 0);
      return open.map((row) => row.lv_name.slice(disk.length));
    },
    hasInstantSnapshots: () => Promise.resolve(true),
    async createSnapshot(uid, snapshotUid, use) {
      if ((await find(`${snapshot}${snapshotUid}`)) !== undefined) return;
      await create(["--snapshot", "--name", `${snapshot}${snapshotUid}`, `${group}/${disk}${uid}`], use);
    },
    removeSnapshot: (snapshotUid, use) => remove(`${snapshot}${snapshotUid}`, use),
    removeLeftovers: (uid, use) => remove(`${disk}${uid}${partial}`, use),
    async listStored() {
      const names = (await list()).map((row) => row.lv_name);
      const select = (start: string, isPartial: boolean): string[] =>
        names
          .filter((name) => name.startsWith(start) && name.endsWith(partial) === isPartial)
          .map((name) => name.slice(start.length, isPartial ? -partial.length : undefined));
      return { disks: select(disk, false), snapshots: select(snapshot, false), leftovers: select(disk, true) };
    },
  };
}
