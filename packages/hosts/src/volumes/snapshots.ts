import { Fault } from "@cloudwright/platform";
import { hostsFaults } from "../faults.ts";
import { openExclusively } from "./detach-volume.ts";
import type { BlockDevice, ToolUse } from "./disk-backend.ts";
import { describeUsers } from "./find-users.ts";
import { setFrozen } from "./freeze.ts";
import { requireUid, type VolumeRecord, type VolumeSnapshot } from "./volume.ts";
import { changeVolume, holdLock, removeLock, requireComplete, thaw, type VolumeScope } from "./volume-scope.ts";

/**
 * Copies a volume into a snapshot. A mounted file system is frozen during the copy, so writes to it wait. Throws if the volume is in use,
 * its file system cannot be frozen and the storage has no instant snapshots.
 */
export function createSnapshot(
  scope: VolumeScope,
  uid: string,
  snapshotUid: string,
  signal: AbortSignal | undefined,
): Promise<VolumeSnapshot> {
  requireUid(snapshotUid);
  return changeVolume(scope, uid, signal, async (found, use) => {
    const record = requireComplete(found, uid);
    return holdLock(scope, ["snapshot", snapshotUid], signal, async () => {
      const existing = await scope.snapshots.find(snapshotUid);
      if (existing !== undefined && existing.volume !== uid) {
        throw new Fault(
          hostsFaults.volume_exists,
          `snapshot ${snapshotUid} already exists; it is a copy of volume ${existing.volume}`,
        );
      }
      if (existing !== undefined && existing.isComplete !== false) return existing;
      const snapshot = { uid: snapshotUid, volume: uid, sizeGib: record.sizeGib };
      // The record is written first, so that an interrupted copy is found and either completed or removed.
      await scope.snapshots.put(snapshotUid, { ...snapshot, consistency: "crash", isComplete: false });
      try {
        const consistency = await capture(scope, record, snapshotUid, use);
        const completed = { ...snapshot, consistency, capturedAtMs: scope.deps.clock.now() };
        await scope.snapshots.put(snapshotUid, completed);
        return completed;
      } catch (error) {
        await scope.disks.removeSnapshot(snapshotUid, { inherit: use.inherit ?? [] });
        await scope.snapshots.delete(snapshotUid);
        throw error;
      }
    });
  });
}

export function removeSnapshot(scope: VolumeScope, uid: string, signal: AbortSignal | undefined): Promise<void> {
  return holdLock(scope, ["snapshot", uid], signal, async (use) => {
    await scope.disks.removeSnapshot(uid, use);
    await scope.snapshots.delete(uid);
    await removeLock(scope, "snapshot", uid);
  });
}

async function capture(
  scope: VolumeScope,
  record: VolumeRecord,
  snapshotUid: string,
  use: ToolUse,
): Promise<VolumeSnapshot["consistency"]> {
  const { uid } = record;
  const copy = (): Promise<void> => scope.disks.createSnapshot(uid, snapshotUid, use);
  const device = await scope.disks.findDevice(uid);
  if (device === undefined) {
    await copy();
    return "clean";
  }
  const exclusive = await openExclusively(device);
  if (exclusive !== undefined) {
    try {
      await exclusive.sync();
      await copy();
      return "clean";
    } finally {
      await exclusive.close();
    }
  }
  if (await copyFrozen(scope, record, device, use, copy)) return "frozen";
  if (await scope.disks.hasInstantSnapshots()) {
    await copy();
    return "crash";
  }
  const users = await describeUsers(device, record.attachment?.leader?.pid);
  throw new Fault(
    hostsFaults.volume_in_use,
    `volume ${uid} cannot be copied, because its file system could not be frozen: ${users.join("; ")}`,
  );
}

/** Copies a volume while its file system is frozen. Returns false if the device is not mounted or cannot be frozen. */
async function copyFrozen(
  scope: VolumeScope,
  record: VolumeRecord,
  device: BlockDevice,
  use: ToolUse,
  copy: () => Promise<void>,
): Promise<boolean> {
  const frozen = { ...record, isFrozen: true };
  // The record is written first, so that the next operation thaws the file system if this process is killed.
  await scope.records.put(record.uid, frozen);
  try {
    if (!(await setFrozen(scope.deps, device, "freeze", use))) return false;
    await copy();
    return true;
  } finally {
    await thaw(scope, frozen, use);
  }
}
