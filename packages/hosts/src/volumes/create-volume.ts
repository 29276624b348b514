import { Fault } from "@cloudwright/platform";
import { hostsFaults } from "../faults.ts";
import type { ToolUse } from "./disk-backend.ts";
import { releaseDevice } from "./detach-volume.ts";
import { requireSize, requireUid, toBytes, type VolumeRecord } from "./volume.ts";
import { changeVolume, holdLock, removeLock, requireComplete, type VolumeScope } from "./volume-scope.ts";

export interface VolumeSpec {
  readonly uid: string;
  readonly sizeGib: number;
  /** Uid of the snapshot that is copied to the new volume. */
  readonly fromSnapshot?: string | undefined;
}

export function createVolume(scope: VolumeScope, spec: VolumeSpec, signal: AbortSignal | undefined): Promise<VolumeRecord> {
  const { uid, fromSnapshot } = spec;
  const sizeGib = requireSize(spec.sizeGib);
  return changeVolume(scope, uid, signal, async (existing, use) => {
    if (existing !== undefined) requireSame(existing, spec);
    if (existing?.isComplete === true) {
      if ((await scope.disks.findSize(uid)) !== undefined) return existing;
      throw new Fault(hostsFaults.volume_not_found, `the data of volume ${uid} is missing`);
    }
    if (fromSnapshot === undefined) return complete(use);
    // The lock prevents the removal of the snapshot while it is copied.
    return holdLock(scope, ["snapshot", fromSnapshot], signal, async () => {
      await requireSnapshot(scope, fromSnapshot, sizeGib);
      return complete(use);
    });
  });

  async function complete(use: ToolUse): Promise<VolumeRecord> {
    const record = { uid, sizeGib, createdGib: sizeGib, fromSnapshot, isComplete: false };
    try {
      await reserveSpace(scope, toBytes(sizeGib), record, signal);
      await scope.disks.create({ uid, bytes: toBytes(sizeGib), fromSnapshot }, use);
      const completed = { ...record, isComplete: true };
      await scope.records.put(uid, completed);
      return completed;
    } catch (error) {
      await scope.disks.remove(uid, { inherit: use.inherit ?? [] });
      await scope.records.delete(uid);
      throw error;
    }
  }
}

export function removeVolume(scope: VolumeScope, uid: string, signal: AbortSignal | undefined): Promise<void> {
  return changeVolume(scope, uid, signal, async (record, use) => {
    if (record?.attachment !== undefined) {
      throw new Fault(
        hostsFaults.volume_attached,
        `volume ${uid} is attached to instance ${record.attachment.instance}; detach it first`,
      );
    }
    if (record !== undefined) {
      await releaseDevice(scope, record, { force: false }, use);
      // Deletes the data before updating the record, because a write could fail on a full disk.
      await scope.disks.remove(uid, use);
      await scope.records.delete(uid);
    }
    await removeLock(scope, "volume", uid);
  });
}

export function resizeVolume(
  scope: VolumeScope,
  uid: string,
  newSizeGib: number,
  signal: AbortSignal | undefined,
): Promise<VolumeRecord> {
  const sizeGib = requireSize(newSizeGib);
  return changeVolume(scope, uid, signal, async (found, use) => {
    const record = requireComplete(found, uid);
    if (sizeGib < record.sizeGib) {
      throw new Fault(hostsFaults.bad_volume, `volume ${uid} has ${record.sizeGib} GiB and cannot shrink to ${sizeGib} GiB`);
    }
    const grown = { ...record, sizeGib };
    if (sizeGib > record.sizeGib) await reserveSpace(scope, toBytes(sizeGib - record.sizeGib), grown, signal);
    // Also runs if the recorded size is right, because an earlier attempt may have been interrupted here.
    await scope.disks.grow(uid, toBytes(sizeGib), use);
    return grown;
  });
}

/** Reserves space by writing the record. The lock prevents two volumes from reserving the same space. */
function reserveSpace(
  scope: VolumeScope,
  additionalBytes: number,
  record: VolumeRecord,
  signal: AbortSignal | undefined,
): Promise<void> {
  return holdLock(scope, ["space", "all"], signal, async () => {
    const volumes = (await scope.records.list()).filter(({ uid, isComplete }) => uid !== record.uid || isComplete);
    const disks = volumes.map(({ uid, sizeGib }) => ({ uid, bytes: toBytes(sizeGib) }));
    await scope.disks.requireSpace(additionalBytes, disks);
    await scope.records.put(record.uid, record);
  });
}

async function requireSnapshot(scope: VolumeScope, uid: string, sizeGib: number): Promise<void> {
  const snapshot = await scope.snapshots.find(requireUid(uid));
  if (snapshot === undefined || snapshot.isComplete === false)
    throw new Fault(hostsFaults.volume_not_found, `there is no snapshot ${uid} on this host`);
  if (sizeGib >= snapshot.sizeGib) return;
  throw new Fault(
    hostsFaults.bad_volume,
    `a volume of ${sizeGib} GiB is too small for snapshot ${uid}; use at least ${snapshot.sizeGib} GiB`,
  );
}

function requireSame(existing: VolumeRecord, { uid, sizeGib, fromSnapshot }: VolumeSpec): void {
  if (existing.fromSnapshot === fromSnapshot && [existing.createdGib, existing.sizeGib].includes(sizeGib)) return;
  const origin = existing.fromSnapshot === undefined ? "" : ` from snapshot ${existing.fromSnapshot}`;
  throw new Fault(hostsFaults.volume_exists, `volume ${uid} already exists, with ${existing.sizeGib} GiB${origin}`);
}
