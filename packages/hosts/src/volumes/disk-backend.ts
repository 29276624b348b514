import type { ToolOptions } from "../run-tool.ts";

/** Options for the tools of an operation: its signal and its lock. The tools inherit the lock, so it is held until they have exited. */
export type ToolUse = Pick<ToolOptions, "signal" | "inherit">;

export interface BlockDevice {
  /** Path on the host, such as /dev/loop3. */
  readonly path: string;
  readonly major: number;
  readonly minor: number;
}

/** Stores the data of volumes and snapshots. Every call can be repeated. Callers must hold the lock of the volume or snapshot. */
export interface DiskBackend {
  /** Throws if the storage has no room for this many additional bytes, given the existing disks and the overcommit ratio. */
  requireSpace(additionalBytes: number, disks: readonly { uid: string; bytes: number }[]): Promise<void>;
  /** Returns the size of a disk, or undefined if it does not exist. */
  findSize(uid: string): Promise<number | undefined>;
  /** Creates an empty disk or a copy of a snapshot. The disk appears under its id only when it is complete. */
  create(disk: { uid: string; bytes: number; fromSnapshot: string | undefined }, use: ToolUse): Promise<void>;
  /** Grows a disk, and its device if there is one. Does nothing if the disk is large enough. */
  grow(uid: string, bytes: number, use: ToolUse): Promise<void>;
  remove(uid: string, use: ToolUse): Promise<void>;

  findDevice(uid: string): Promise<BlockDevice | undefined>;
  openDevice(uid: string, use: ToolUse): Promise<BlockDevice>;
  /** Requests the removal of a disk's device. If the device is open, it disappears when it is closed. */
  closeDevice(uid: string, use: ToolUse): Promise<void>;
  /** Lists the ids of all disks that have a device. */
  listOpen(): Promise<string[]>;

  /** Returns true if snapshots are instant and capture the disk at a single moment. */
  readonly hasInstantSnapshots: () => Promise<boolean>;
  createSnapshot(uid: string, snapshotUid: string, use: ToolUse): Promise<void>;
  removeSnapshot(snapshotUid: string, use: ToolUse): Promise<void>;
  /** Removes the leftovers of an interrupted operation on this disk or snapshot. */
  removeLeftovers(uid: string, use: ToolUse): Promise<void>;
  /** Lists the ids of all disks, snapshots and leftovers. */
  listStored(): Promise<{ disks: string[]; snapshots: string[]; leftovers: string[] }>;
}
