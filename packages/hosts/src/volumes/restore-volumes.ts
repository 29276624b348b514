import { describeError, Fault } from "@cloudwright/platform";
import { rm } from "node:fs/promises";
import { hostsFaults } from "../faults.ts";
import { replug } from "./attach-volume.ts";
import { releaseDevice } from "./detach-volume.ts";
import { changeVolume, holdLock, type VolumeScope } from "./volume-scope.ts";

/** The result of restoring the volumes of a host. */
export interface RestoreReport {
  /** Uids of volumes that were plugged into a running instance again. */
  readonly attached: readonly string[];
  /** Uids of volumes and snapshots whose leftovers were removed. */
  readonly removed: readonly string[];
  /** What could not be restored, one line each. */
  readonly problems: readonly string[];
}

/**
 * Brings the host into the state that the records describe, for example after a reboot or after this program was killed. Instances that
 * start later get their volumes through `plugIn`. If one volume fails, the others are still restored.
 */
export async function restoreVolumes(scope: VolumeScope, signal: AbortSignal | undefined): Promise<RestoreReport> {
  const report = { attached: [] as string[], removed: [] as string[], problems: [] as string[] };
  const attempt = async (what: string, action: () => Promise<void>): Promise<void> => {
    try {
      await action();
    } catch (error) {
      if (error instanceof Fault && error.code === hostsFaults.cancelled.code) throw error;
      report.problems.push(`${what}: ${describeError(error)}`);
    }
  };

  const [records, snapshots] = await Promise.all([scope.records.list(), scope.snapshots.list()]);
  for (const { uid } of records) {
    await attempt(`volume ${uid}`, () =>
      changeVolume(scope, uid, signal, async (record, use) => {
        if (record !== undefined && (await replug(scope, record, use))) report.attached.push(uid);
      }),
    );
  }
  const { disks, snapshots: copies, leftovers } = await scope.disks.listStored();
  const wanted = new Set(records.filter(({ attachment }) => attachment !== undefined).map(({ uid }) => uid));
  for (const uid of (await scope.disks.listOpen()).filter((name) => !wanted.has(name))) {
    await attempt(`device of volume ${uid}`, () => removeDevice(scope, uid, signal));
    report.removed.push(uid);
  }
  for (const uid of leftovers) {
    await attempt(`leftovers of ${uid}`, () =>
      holdLock(scope, ["volume", uid], signal, () =>
        holdLock(scope, ["snapshot", uid], signal, (use) => scope.disks.removeLeftovers(uid, use)),
      ),
    );
    report.removed.push(uid);
  }
  // Data is never removed just because its record is missing.
  for (const uid of disks.filter((name) => !records.some((record) => record.uid === name))) {
    report.problems.push(`disk ${uid} has no record; restore the record from a backup or delete the disk`);
  }
  for (const uid of copies.filter((name) => !snapshots.some((snapshot) => snapshot.uid === name))) {
    report.problems.push(`snapshot ${uid} has no record; create it again or remove it`);
  }
  return report;
}

/** Removes all volumes and snapshots with their data. Throws if one of them is in use. */
export async function cleanVolumes(scope: VolumeScope, signal: AbortSignal | undefined): Promise<void> {
  const { disks, snapshots } = await scope.disks.listStored();
  const open = await scope.disks.listOpen();
  for (const uid of new Set([...open, ...disks])) {
    await changeVolume(scope, uid, signal, async (record, use) => {
      await releaseDevice(scope, record ?? { uid }, { force: false }, use);
      await scope.disks.remove(uid, use);
    });
  }
  for (const uid of snapshots) {
    await holdLock(scope, ["snapshot", uid], signal, (use) => scope.disks.removeSnapshot(uid, use));
  }
  await rm(scope.folder, { recursive: true, force: true });
}

function removeDevice(scope: VolumeScope, uid: string, signal: AbortSignal | undefined): Promise<void> {
  return changeVolume(scope, uid, signal, async (record, use) => {
    // The volume may have been attached while this call waited.
    if (record?.attachment === undefined) await releaseDevice(scope, { uid }, { force: false }, use);
  });
}
