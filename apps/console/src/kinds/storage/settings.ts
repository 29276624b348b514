import type { Setting } from "../../settings/setting.ts";

/** Settings that buckets have in every cloud. */
export const bucketSettings: readonly Setting[] = [
  {
    path: "bucket.expireAfterDays",
    label: "Days until objects are deleted",
    input: "number",
    max: 36_500,
    description: "Leave empty to keep objects forever",
  },
  {
    path: "bucket.forceDestroy",
    label: "Delete the objects together with the bucket",
    input: "switch",
    description: "If off, a bucket that contains objects is not deleted",
  },
];

/** Settings that volumes have in every cloud. */
export const volumeSettings: readonly Setting[] = [
  { path: "volume.zone", label: "Zone", input: "text", description: "Leave empty to use the region's default zone" },
  {
    path: "volume.iops",
    label: "I/O operations per second",
    input: "number",
    max: 256_000,
    description: "Only some volume types support this",
  },
  {
    path: "volume.throughputMib",
    label: "Throughput in MiB per second",
    input: "number",
    max: 2000,
    description: "Only some volume types support this",
  },
];

/** Setting for taking a snapshot before a volume is deleted. Not available in every cloud. */
export const snapshotSetting: Setting = {
  path: "volume.finalSnapshot",
  label: "Snapshot before deletion",
  input: "switch",
  description: "The snapshot is kept in the cloud account",
};

/** Settings that protect the objects in a bucket from deletion for a retention period. */
export const lockSettings: readonly Setting[] = [
  {
    path: "bucket.objectLock.mode",
    label: "Retention",
    input: "choice",
    usual: "None (default)",
    options: [
      ["GOVERNANCE", "Governance: deletion needs a permission"],
      ["COMPLIANCE", "Compliance: nobody can delete objects"],
    ],
    description: "Requires object versions. Cannot be disabled once enabled.",
  },
  {
    path: "bucket.objectLock.days",
    label: "Retention period in days",
    input: "number",
    min: 1,
    max: 36_500,
    needs: "bucket.objectLock.mode",
  },
];

/** Creates the setting for a volume's type. `usual` is the default type. */
export function volumeType(usual: string, types: readonly string[]): Setting {
  return {
    path: "volume.type",
    label: "Type",
    input: "choice",
    usual: `${usual} (default)`,
    options: types.map((type) => [type, type] as const),
  };
}

/** Creates the setting for a customer-managed encryption key. */
export function keySetting(section: "bucket" | "volume", label: string, placeholder: string): Setting {
  return {
    path: `${section}.encryptionKey`,
    label,
    input: "text",
    description: "Leave empty to use a key that the cloud manages",
    placeholder,
  };
}
