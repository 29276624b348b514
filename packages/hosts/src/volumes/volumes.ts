import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { HostDeps } from "../host-deps.ts";
import { openRecords } from "../records.ts";
import { attachVolume, plugInVolumes } from "./attach-volume.ts";
import { createVolume, removeVolume, resizeVolume, type VolumeSpec } from "./create-volume.ts";
import { detachVolume } from "./detach-volume.ts";
import { cleanVolumes, restoreVolumes, type RestoreReport } from "./restore-volumes.ts";
import { openLogicalVolumes, type ThinPool } from "./logical-volumes.ts";
import { createSnapshot, removeSnapshot } from "./snapshots.ts";
import { openSparseFiles } from "./sparse-files.ts";
import {
  describeVolume,
  requireUid,
  type Attachment,
  type Volume,
  type VolumeInstance,
  type VolumeRecord,
  type VolumeSnapshot,
} from "./volume.ts";
import type { VolumeScope } from "./volume-scope.ts";

/** The volumes of one host. Several processes may use them at the same time. Every call can be repeated after an interruption. */
export interface Volumes {
  create(spec: VolumeSpec, signal?: AbortSignal): Promise<Volume>;
  /** Removes a volume and its data. Throws if the volume is attached. */
  remove(uid: string, signal?: AbortSignal): Promise<void>;
  find(uid: string): Promise<Volume | undefined>;
  list(): Promise<Volume[]>;
  /**
   * Attaches a volume to an instance. Throws if it is attached to another instance. If the instance is stopped, `plugIn` completes the
   * attachment.
   */
  attach(uid: string, instance: VolumeInstance, signal?: AbortSignal): Promise<Attachment>;
  /** Creates the device nodes of an instance's volumes. Must be called after each start, because each start creates a new /dev. */
  plugIn(instanceUid: string, leaderPid: number, signal?: AbortSignal): Promise<Attachment[]>;
  /** Detaches a volume. If the volume is mounted or open, throws a fault that lists where. With `force`, unmounts the volume first. */
  detach(uid: string, options?: { readonly force?: boolean }, signal?: AbortSignal): Promise<void>;
  /** Grows a volume, whether or not it is attached. Does not grow the file system; run a tool such as resize2fs inside the instance. */
  resize(uid: string, sizeGib: number, signal?: AbortSignal): Promise<Volume>;
  snapshot(uid: string, snapshotUid: string, signal?: AbortSignal): Promise<VolumeSnapshot>;
  removeSnapshot(snapshotUid: string, signal?: AbortSignal): Promise<void>;
  listSnapshots(): Promise<VolumeSnapshot[]>;
  /** Brings the host into the state that the records describe. Must be called when the program starts. */
  restore(signal?: AbortSignal): Promise<RestoreReport>;
  /** Removes all volumes and snapshots. Throws if a volume is in use. Afterwards, only `clean` may be called. */
  clean(signal?: AbortSignal): Promise<void>;
}

export interface VolumeOptions {
  /**
   * How many times the free disk space may be promised to volumes that have not written it yet. With 1, all volumes can be filled
   * completely.
   */
  readonly overcommit?: number;
  /** Where the data is stored. Default: sparse files in the host's directory. */
  readonly backend?: { readonly lvm: ThinPool } | undefined;
}

export async function openVolumes(deps: HostDeps, { overcommit = 2, backend }: VolumeOptions = {}): Promise<Volumes> {
  await mkdir(join(deps.directory, "volumes", "locks"), { recursive: true, mode: 0o700 });
  // The kernel reports the files of loop devices with all symbolic links resolved.
  const folder = join(await realpath(deps.directory), "volumes");
  const [disks, records, snapshots] = await Promise.all([
    backend === undefined
      ? openSparseFiles(deps, { folder, overcommit })
      : openLogicalVolumes(deps, { ...backend.lvm, overcommit }),
    openRecords<VolumeRecord>(join(folder, "records")),
    openRecords<VolumeSnapshot>(join(folder, "snapshot-records")),
  ]);
  const scope: VolumeScope = { deps, folder, disks, records, snapshots };
  return {
    create: async (spec, signal) => describeVolume(await createVolume(scope, spec, signal)),
    remove: (uid, signal) => removeVolume(scope, uid, signal),
    async find(uid) {
      const record = await records.find(requireUid(uid));
      return record === undefined ? undefined : describeVolume(record);
    },
    list: async () => (await records.list()).map(describeVolume),
    attach: (uid, instance, signal) => attachVolume(scope, uid, instance, signal),
    plugIn: (instanceUid, leaderPid, signal) => plugInVolumes(scope, instanceUid, leaderPid, signal),
    detach: (uid, options, signal) => detachVolume(scope, uid, { force: options?.force ?? false }, signal),
    resize: async (uid, sizeGib, signal) => describeVolume(await resizeVolume(scope, uid, sizeGib, signal)),
    snapshot: (uid, snapshotUid, signal) => createSnapshot(scope, uid, snapshotUid, signal),
    removeSnapshot: (snapshotUid, signal) => removeSnapshot(scope, snapshotUid, signal),
    listSnapshots: () => snapshots.list(),
    restore: (signal) => restoreVolumes(scope, signal),
    clean: (signal) => cleanVolumes(scope, signal),
  };
}
