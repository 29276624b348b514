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

/** The volumes of one host. Several processes may use them at the same time. Every call can be repeated after it was interrupted. */
export interface Volumes {
  create(spec: VolumeSpec, signal?: AbortSignal): Promise<Volume>;
  /** Removes a volume and its data. Throws while it is attached. */
  remove(uid: string, signal?: AbortSignal): Promise<void>;
  find(uid: string): Promise<Volume | undefined>;
  list(): Promise<Volume[]>;
  /** Attaches a volume to at most one instance. For a stopped instance, `plugIn` completes the attachment when it starts. */
  attach(uid: string, instance: VolumeInstance, signal?: AbortSignal): Promise<Attachment>;
  /** Must be called after each start of an instance, because its /dev is new. */
  plugIn(instanceUid: string, leaderPid: number, signal?: AbortSignal): Promise<Attachment[]>;
  /** Throws while the volume is mounted or open, and lists where. With `force`, unmounts it first. */
  detach(uid: string, options?: { readonly force?: boolean }, signal?: AbortSignal): Promise<void>;
  /** Makes a volume larger, attached or not. Its file system is grown inside the instance, for example by resize2fs. */
  resize(uid: string, sizeGib: number, signal?: AbortSignal): Promise<Volume>;
  snapshot(uid: string, snapshotUid: string, signal?: AbortSignal): Promise<VolumeSnapshot>;
  removeSnapshot(snapshotUid: string, signal?: AbortSignal): Promise<void>;
  listSnapshots(): Promise<VolumeSnapshot[]>;
  /** Must be called when the program starts. */
  restore(signal?: AbortSignal): Promise<RestoreReport>;
  /** Removes everything. Throws if a volume is in use. Nothing but `clean` may be called afterwards. */
  clean(signal?: AbortSignal): Promise<void>;
}

export interface VolumeOptions {
  /** How many times the free disk space may be promised to volumes that have not written it yet. With 1, all of them can be filled. */
  readonly overcommit?: number;
  /** Where the data is stored. Default: sparse files in the host's directory. */
  readonly backend?: { readonly lvm: ThinPool } | undefined;
}

export async function openVolumes(deps: HostDeps, { overcommit = 2, backend }: VolumeOptions = {}): Promise<Volumes> {
  await mkdir(join(deps.directory, "volumes", "locks"), { recursive: true, mode: 0o700 });
  // The kernel reports the files of loop devices without symbolic links.
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
