import { Fault } from "@cloudwright/platform";
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { hostsFaults } from "../faults.ts";
import type { BlockDevice, ToolUse } from "./disk-backend.ts";
import { describeUsers, findMounts } from "./find-users.ts";
import { unplugDevice } from "./plug-device.ts";
import { isRunning } from "./process-identity.ts";
import type { VolumeRecord } from "./volume.ts";
import { changeVolume, type VolumeScope } from "./volume-scope.ts";

const pollMs = 50;
const patienceMs = 2000;

export interface DetachOptions {
  /** Unmounts the volume first, even if programs use it. These programs then get I/O errors. */
  readonly force: boolean;
}

/** Detaches a volume from its instance. Throws if the volume is in use anywhere on the host. */
export function detachVolume(
  scope: VolumeScope,
  uid: string,
  options: DetachOptions,
  signal: AbortSignal | undefined,
): Promise<void> {
  return changeVolume(scope, uid, signal, async (record, use) => {
    if (record === undefined) return;
    await releaseDevice(scope, record, options, use);
    if (record.attachment !== undefined) await scope.records.put(uid, { ...record, attachment: undefined });
  });
}

/** Removes the volume's device node from its instance, and the device from the host. Throws if the device is in use. */
export async function releaseDevice(
  { deps, disks }: VolumeScope,
  { uid, attachment }: Pick<VolumeRecord, "uid" | "attachment">,
  { force }: DetachOptions,
  use: ToolUse,
): Promise<void> {
  const device = await disks.findDevice(uid);
  const leaderPid = (await isRunning(attachment?.leader)) ? attachment?.leader?.pid : undefined;
  const refuse = async (found: BlockDevice): Promise<never> => {
    const users = await describeUsers(found, leaderPid);
    const where = attachment === undefined ? "" : ` of instance ${attachment.instance}`;
    throw new Fault(
      hostsFaults.volume_in_use,
      `volume ${uid}${where} is in use: ${users.length === 0 ? "by a process that has exited in the meantime; try again" : users.join("; ")}`,
    );
  };
  const unplug = async (): Promise<void> => {
    if (attachment === undefined || leaderPid === undefined) return;
    try {
      await unplugDevice(deps, { uid, device, instance: attachment.instance, leaderPid }, use);
    } catch (error) {
      // If the instance has just stopped, its /dev and the device node no longer exist.
      if (!force && (await isRunning(attachment.leader))) throw error;
    }
  };
  if (device === undefined) return unplug();
  if (force) await unmountEverywhere(deps, device, leaderPid, use);
  // While this descriptor is open, the device can be neither mounted nor used as swap space in any namespace.
  const exclusive = (await openExclusively(device)) ?? (await refuse(device));
  try {
    await unplug();
    await disks.closeDevice(uid, use);
  } finally {
    await exclusive.close();
  }
  // The kernel keeps the device while any process has it open.
  for (let waitedMs = 0; (await disks.findDevice(uid)) !== undefined; waitedMs += pollMs) {
    if (waitedMs >= patienceMs) await refuse(device);
    await deps.clock.sleep(pollMs, use.signal);
    // LVM ignores the request while the device is open, so the request is repeated.
    await disks.closeDevice(uid, use);
  }
}

/** Opens a device exclusively. Returns undefined if the device is mounted or otherwise claimed in any namespace. */
export async function openExclusively(device: BlockDevice): Promise<FileHandle | undefined> {
  return open(device.path, constants.O_RDONLY | constants.O_EXCL).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EBUSY") return undefined;
    throw error;
  });
}

/**
 * Unmounts a device in all mount namespaces. Only a process inside a namespace can do so, so this runs the instance's own umount in all
 * namespaces of the instance. The program must not inherit the lock, because the instance may have replaced it.
 */
async function unmountEverywhere(
  { run }: VolumeScope["deps"],
  device: BlockDevice,
  leaderPid: number | undefined,
  { signal }: ToolUse,
): Promise<void> {
  for (const { pid, path } of (await findMounts(device, leaderPid)).toReversed()) {
    const umount = ["--target", String(pid), "--all", "--root", "--", "umount"];
    const { code } = await run("nsenter", [...umount, "--", path], { signal, accept: [1, 32] });
    if (code !== 0) await run("nsenter", [...umount, "--lazy", "--", path], { signal, accept: [1, 32] });
  }
}
