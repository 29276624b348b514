import { Fault } from "@cloudwright/platform";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import type { Records } from "../records.ts";
import { reportFullDisk } from "../report-full-disk.ts";
import type { DiskBackend, ToolUse } from "./disk-backend.ts";
import { setFrozen } from "./freeze.ts";
import { withLock } from "./lock.ts";
import { requireUid, type VolumeRecord, type VolumeSnapshot } from "./volume.ts";

/** Dependencies of every operation on volumes. */
export interface VolumeScope {
  readonly deps: Pick<HostDeps, "run" | "clock">;
  readonly folder: string;
  readonly disks: DiskBackend;
  readonly records: Records<VolumeRecord>;
  readonly snapshots: Records<VolumeSnapshot>;
}

type Lock = "volume" | "snapshot" | "space";

/** Runs an action while holding a lock. Locks are taken in the order volume, snapshot, space, so that operations cannot deadlock. */
export async function holdLock<T>(
  scope: VolumeScope,
  [kind, uid]: readonly [Lock, string],
  signal: AbortSignal | undefined,
  action: (use: ToolUse) => Promise<T>,
): Promise<T> {
  const file = fileOfLock(scope, kind, requireUid(uid));
  return withLock(scope.deps, file, signal, action).catch((error: unknown) => {
    throw reportFullDisk(error, scope.folder);
  });
}

/** Removes the file of a lock. Only the holder of the lock may call this, after its volume or snapshot was removed. */
export function removeLock(scope: VolumeScope, kind: Lock, uid: string): Promise<void> {
  return rm(fileOfLock(scope, kind, uid), { force: true });
}

function fileOfLock({ folder }: VolumeScope, kind: Lock, uid: string): string {
  return join(folder, "locks", `${kind}.${uid}`);
}

/** Runs an operation while holding the lock of a volume. The record is undefined if the volume does not exist. */
export function changeVolume<T>(
  scope: VolumeScope,
  uid: string,
  signal: AbortSignal | undefined,
  action: (record: VolumeRecord | undefined, use: ToolUse) => Promise<T>,
): Promise<T> {
  return holdLock(scope, ["volume", uid], signal, async (use) => {
    const record = await scope.records.find(uid);
    return action(record === undefined ? undefined : await thaw(scope, record, use), use);
  });
}

/** Thaws a file system that was frozen for a snapshot, by this process or by one that was killed. */
export async function thaw({ deps, disks, records }: VolumeScope, record: VolumeRecord, use: ToolUse): Promise<VolumeRecord> {
  if (record.isFrozen !== true) return record;
  const device = await disks.findDevice(record.uid);
  // The signal is not passed on, because a cancelled operation must not leave the file system frozen.
  if (device !== undefined) await setFrozen(deps, device, "unfreeze", { ...use, signal: undefined });
  const thawed = { ...record, isFrozen: undefined };
  await records.put(record.uid, thawed);
  return thawed;
}

export function requireComplete(record: VolumeRecord | undefined, uid: string): VolumeRecord {
  if (record === undefined) throw new Fault(hostsFaults.volume_not_found, `there is no volume ${uid} on this host`);
  if (record.isComplete) return record;
  throw new Fault(
    hostsFaults.volume_not_found,
    `the creation of volume ${uid} was interrupted; create the volume again or remove it`,
  );
}
