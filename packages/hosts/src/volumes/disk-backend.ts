import type { ToolOptions } from "../run-tool.ts";

/** How an operation runs its tools: with its signal, and with its lock, which then lasts until the tools have ended. */
export type ToolUse = Pick<ToolOptions, "signal" | "inherit">;

export interface BlockDevice {
  /** Path on the host, such as /dev/loop3. */
  readonly path: string;
  readonly major: number;
  readonly minor: number;
}

/** Where the bytes of volumes and snapshots are. Every call can be repeated, and callers hold the lock of the volume. */
export interface DiskBackend {
  /** Throws if a disk of this many bytes more could not be filled, allowing for the overcommit ratio. */
  requireSpace(additionalBytes: number, disks: readonly { uid: string; bytes: number }[]): Promise<void>;
  /** Returns the size of a disk, or undefined if it does not exist. */
  findSize(uid: string): Promise<number | undefined>;
  /** Creates a disk of zeros, or a copy of a snapshot. A disk with this id appears only when it is complete. */
  create(disk: { uid: string; bytes: number; fromSnapshot: string | undefined }, use: ToolUse): Promise<void>;
  /** Makes a disk larger, including its device if there is one. Does nothing if the disk is large enough. */
  grow(uid: string, bytes: number, use: ToolUse): Promise<void>;
  remove(uid: string, use: ToolUse): Promise<void>;

  findDevice(uid: string): Promise<BlockDevice | undefined>;
  openDevice(uid: string, use: ToolUse): Promise<BlockDevice>;
  /** Asks the kernel to remove the device of a disk. An open device disappears when it is closed. */
  closeDevice(uid: string, use: ToolUse): Promise<void>;
  /** Lists the ids of all disks that have a device. */
  listOpen(): Promise<string[]>;

  /** Whether snapshots take no noticeable time and show the disk at a single moment. */
  readonly hasInstantSnapshots: () => Promise<boolean>;
  createSnapshot(uid: string, snapshotUid: string, use: ToolUse): Promise<void>;
  removeSnapshot(snapshotUid: string, use: ToolUse): Promise<void>;
  /** Removes what an interrupted operation on this disk or snapshot left. */
  removeLeftovers(uid: string, use: ToolUse): Promise<void>;
  /** Lists disks, snapshots and leftovers, by their ids. */
  listStored(): Promise<{ disks: string[]; snapshots: string[]; leftovers: string[] }>;
}
