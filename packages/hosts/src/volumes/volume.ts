import { Fault } from "@cloudwright/platform";
import { hostsFaults } from "../faults.ts";
import type { ProcessIdentity } from "./process-identity.ts";

export interface Volume {
  readonly uid: string;
  readonly sizeGib: number;
  readonly fromSnapshot: string | undefined;
  /** The uid of the instance that the volume is attached to. */
  readonly attachedTo: string | undefined;
  /** False while the volume is being created, or if its creation was interrupted. */
  readonly isComplete: boolean;
}

/** The volume's record on disk. */
export interface VolumeRecord {
  readonly uid: string;
  readonly sizeGib: number;
  /** The size with which the volume was created. It identifies a repeated creation. */
  readonly createdGib: number;
  readonly fromSnapshot?: string | undefined;
  readonly isComplete: boolean;
  readonly attachment?: { readonly instance: string; readonly leader?: ProcessIdentity | undefined } | undefined;
  /** True if the file system was frozen for a snapshot and must be thawed. */
  readonly isFrozen?: boolean | undefined;
}

/** An instance to which volumes can be attached. */
export interface VolumeInstance {
  readonly uid: string;
  /** Returns the process id of the instance's init process on the host, or undefined if the instance is stopped. */
  readonly leaderPid: () => Promise<number | undefined>;
}

export interface Attachment {
  /** Path of the block device inside the instance. */
  readonly path: string;
  /** Path of the block device on the host, or undefined if the instance is stopped. */
  readonly device: string | undefined;
}

export interface VolumeSnapshot {
  readonly uid: string;
  readonly volume: string;
  readonly sizeGib: number;
  /**
   * How the data was captured: `clean` if nothing was mounted, `frozen` if the file system was frozen during the copy, and `crash` if the
   * snapshot looks like a disk after a power cut.
   */
  readonly consistency: "clean" | "frozen" | "crash";
  /** Time at which the copy was complete. Absent in snapshots of earlier releases. */
  readonly capturedAtMs?: number | undefined;
  /** False while the data is being copied, or if that was interrupted. */
  readonly isComplete?: boolean | undefined;
}

const largestGib = 65_536;

export const toBytes = (sizeGib: number): number => sizeGib * 1024 ** 3;

export function describeVolume(record: VolumeRecord): Volume {
  const { uid, sizeGib, fromSnapshot, isComplete, attachment } = record;
  return { uid, sizeGib, fromSnapshot, attachedTo: attachment?.instance, isComplete };
}

/** Throws if an id is not valid. Ids become names of files and devices. */
export function requireUid(uid: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,62}$/.test(uid)) return uid;
  throw new Fault(
    hostsFaults.bad_volume,
    `"${uid}" is not a valid id of a volume, snapshot or instance; use at most 63 lower-case letters, digits and dashes, and start with a letter or digit`,
  );
}

export function requireSize(sizeGib: number): number {
  if (Number.isInteger(sizeGib) && sizeGib >= 1 && sizeGib <= largestGib) return sizeGib;
  throw new Fault(hostsFaults.bad_volume, `a volume cannot have ${sizeGib} GiB; use a whole number from 1 to ${largestGib}`);
}
