import type { ConformanceCase } from "../conformance-case.ts";
import { given, idOf, owner, region } from "./fixtures.ts";

const least = { name: "logs", region, owner };
const key = idOf("Microsoft.KeyVault/vaults", "existing-keys/keys/storage");
const rules = [
  {
    id: "cold",
    prefix: "old/",
    transitions: [
      { after_days: 30, storage_class: "Cool" },
      { after_days: 60, storage_class: "Cold" },
      { after_days: 90, storage_class: "Archive" },
    ],
    expire_after_days: 400,
  },
  { id: "versions", expire_noncurrent_after_days: 7 },
];
const bucket = { redundancy: "geo", versioning: true, expire_after_days: 365, key_id: key, lifecycle_rules: rules };
const volume = { size_gib: 32, zone: "1", type: "Premium_LRS" };
const fast = { size_gib: 100, zone: "2", type: "PremiumV2_LRS", iops: 4000, throughput: 200 };

const both = (version: string): ConformanceCase[] => [
  {
    title: "a bucket with defaults",
    place: `storage/azure/${version}`,
    variables: { ...least, bucket: {} },
    changes: [
      { variables: { tags: { team: "b" } } },
      { variables: { bucket: { versioning: true, expire_after_days: 10 } } },
      { variables: { bucket: {} }, mayRemove: /management_policy/ },
    ],
  },
  {
    title: "a bucket with every setting",
    place: `storage/azure/${version}`,
    variables: {
      ...least,
      name: "a-very-long-name-of-a-bucket-that-is-shortened",
      resource_group_name: "existing",
      bucket,
      tags: { team: "a" },
    },
    changes: [{ variables: { bucket: { ...bucket, lifecycle_rules: rules.slice(1), expire_after_days: 0, versioning: false } } }],
  },
  ...["local", "geo-zone"].map((redundancy) => ({
    title: `a bucket with ${redundancy} redundancy`,
    place: `storage/azure/${version}`,
    variables: { ...least, bucket: { redundancy } },
  })),
  {
    title: "a volume",
    place: `storage/azure/${version}`,
    variables: { ...least, volume },
    changes: [
      { variables: { volume: { ...volume, size_gib: 64 }, tags: { team: "c" } } },
      { variables: { volume: { ...volume, size_gib: 64, type: "StandardSSD_LRS" } } },
    ],
  },
  {
    title: "a fast volume",
    place: `storage/azure/${version}`,
    variables: {
      ...least,
      resource_group_name: "existing",
      volume: { ...fast, disk_encryption_set_id: given.diskEncryptionSet },
    },
    changes: [
      { variables: { volume: { ...fast, disk_encryption_set_id: given.diskEncryptionSet, iops: 5000, throughput: 300 } } },
      {
        variables: {
          volume: { size_gib: 100, zone: "2", type: "PremiumV2_LRS", disk_encryption_set_id: given.diskEncryptionSet },
        },
      },
    ],
  },
  {
    title: "an ultra volume",
    place: `storage/azure/${version}`,
    variables: { ...least, volume: { ...fast, type: "UltraSSD_LRS" } },
  },
  {
    title: "a zone-redundant volume",
    place: `storage/azure/${version}`,
    variables: { ...least, volume: { size_gib: 8, type: "StandardSSD_ZRS" } },
  },
];

/** Conformance cases for the storage configurations. */
export const storageCases: readonly ConformanceCase[] = [
  ...both("v1.0.0"),
  ...both("v1.1.0"),
  {
    title: "settings that v1.1.0 added",
    place: "storage/azure/v1.1.0",
    variables: { ...least, bucket: { soft_delete_days: 30, shared_keys: true, object_lock: { mode: "GOVERNANCE", days: 10 } } },
    changes: [
      { variables: { bucket: { soft_delete_days: 0, shared_keys: false, object_lock: { mode: "GOVERNANCE", days: 20 } } } },
      { variables: { bucket: { soft_delete_days: 7 } }, mayRemove: /immutability/ },
    ],
  },
  {
    title: "a volume whose export is enabled and disabled",
    place: "storage/azure/v1.1.0",
    variables: { ...least, volume: { ...volume, exports: true } },
    changes: [{ variables: { volume } }],
  },
  {
    title: "upgrade of a bucket",
    place: "storage/azure/v1.0.0",
    variables: { ...least, bucket },
    changes: [{ place: "storage/azure/v1.1.0" }],
  },
  {
    title: "upgrade of a bucket with defaults",
    place: "storage/azure/v1.0.0",
    variables: { ...least, bucket: {} },
    changes: [{ place: "storage/azure/v1.1.0" }],
  },
  {
    title: "upgrade of a volume",
    place: "storage/azure/v1.0.0",
    variables: { ...least, volume },
    changes: [{ place: "storage/azure/v1.1.0" }],
  },
  {
    title: "upgrade of a fast volume",
    place: "storage/azure/v1.0.0",
    variables: { ...least, volume: fast },
    changes: [{ place: "storage/azure/v1.1.0" }],
  },
];
