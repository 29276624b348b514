import type { ConformanceCase, Variables } from "../conformance-case.ts";

const region = "europe-west1";
const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const key = `projects/acme-1/locations/${region}/keyRings/main/cryptoKeys/storage`;
const first = "storage/gcp/v1.0.0";
const second = "storage/gcp/v1.1.0";
const usual: Variables = { name: "logs", region, owner };
const zone = `${region}-b`;

const rules = [
  { prefix: "old/", expire_after_days: 90, transitions: [{ after_days: 30, storage_class: "NEARLINE" }] },
  { expire_noncurrent_after_days: 7, abort_uploads_after_days: 3 },
  { transitions: [{ after_days: 60, storage_class: "COLDLINE" }] },
];

/** A bucket with every setting of v1.0.0. */
const bucket = {
  versioning: true,
  expire_after_days: 365,
  force_destroy: true,
  kms_key_name: key,
  lifecycle_rules: rules,
  retention: { days: 3, locked: true },
};
const grants = [
  { role: "roles/storage.objectViewer", member: "serviceAccount:app@acme-1.iam.gserviceaccount.com" },
  { role: "roles/storage.objectAdmin", member: "group:admins@example.org" },
];
const more = { abort_uploads_after_days: 2, grants };

const disk = (settings: object): Variables => ({ volume: { zone, size_gib: 10, ...settings } });
const removesDisk = /^google_compute_disk/;

/** Conformance cases for the storage configuration. */
export const storageCases: readonly ConformanceCase[] = [
  ...[first, second].flatMap((place): ConformanceCase[] => [
    { title: "a bucket with defaults is stable", place, variables: { ...usual, bucket: {} } },
    { title: "a disk with defaults is stable", place, variables: { ...usual, ...disk({}) } },
    {
      title: "a disk grows, and its labels and key change",
      place,
      variables: { ...usual, ...disk({ type: "pd-ssd", kms_key_name: key }), labels: { team: "a" }, project: "acme-1" },
      changes: [
        { variables: { ...disk({ type: "pd-ssd", kms_key_name: key, size_gib: 20 }), labels: { team: "b", more: "c" } } },
        { variables: disk({ type: "pd-ssd", size_gib: 20 }), mayRemove: removesDisk },
      ],
    },
    {
      title: "the performance of a hyperdisk is set, changed and reset to Google's default",
      place,
      variables: { ...usual, ...disk({ type: "hyperdisk-balanced", iops: 4000, throughput: 200 }) },
      changes: [
        { variables: disk({ type: "hyperdisk-balanced", iops: 5000, throughput: 250 }) },
        { variables: disk({ type: "hyperdisk-balanced", size_gib: 30 }) },
      ],
    },
    {
      title: "disks of the other types are stable",
      place,
      variables: { ...usual, ...disk({ type: "pd-extreme", size_gib: 500, iops: 20_000 }) },
      changes: [
        { variables: disk({ type: "hyperdisk-throughput", size_gib: 2048, throughput: 100 }), mayRemove: removesDisk },
        { variables: disk({ type: "hyperdisk-extreme", size_gib: 64, iops: 1000 }), mayRemove: removesDisk },
        { variables: disk({ type: "pd-standard" }), mayRemove: removesDisk },
        { variables: disk({ type: "pd-extreme", size_gib: 500 }), mayRemove: removesDisk },
      ],
    },
  ]),
  {
    title: "a bucket with every setting is changed in place",
    place: first,
    variables: { ...usual, project: "acme-1", labels: { team: "a" }, bucket },
    changes: [
      { variables: { bucket: { ...bucket, retention: { days: 5, locked: true }, lifecycle_rules: rules.slice(1) }, labels: {} } },
      { variables: { bucket: { ...bucket, retention: { days: 5, locked: true }, kms_key_name: null, lifecycle_rules: [] } } },
    ],
  },
  {
    title: "a bucket with every setting is changed in place",
    place: second,
    variables: { ...usual, project: "acme-1", labels: { team: "a" }, bucket: { ...bucket, ...more } },
    changes: [
      { variables: { bucket: { ...bucket, grants: grants.slice(1) } }, mayRemove: /^google_storage_bucket_iam_member/ },
      { variables: { bucket: { ...more, retention: { days: 3, locked: true }, abort_uploads_after_days: 0 } } },
    ],
  },
  {
    title: "an unlocked retention policy, versioning and lifecycle rules are removed again",
    place: second,
    variables: { ...usual, bucket: { ...bucket, retention: { days: 2 } } },
    changes: [{ variables: { bucket: {} } }, { variables: { bucket: { retention: { days: 1 } } } }],
  },
  {
    title: "a snapshot is taken when a disk is deleted",
    place: second,
    variables: { ...usual, ...disk({ final_snapshot: true }) },
  },
  {
    title: "the upgrade to v1.1.0 replaces no bucket",
    place: first,
    variables: { ...usual, bucket },
    changes: [{ place: second }, { variables: { bucket: { ...bucket, ...more } } }],
  },
  {
    title: "the upgrade to v1.1.0 replaces no disk",
    place: first,
    variables: { ...usual, ...disk({ type: "hyperdisk-balanced", iops: 4000 }) },
    changes: [{ place: second }, { variables: disk({ type: "hyperdisk-balanced", iops: 4000, final_snapshot: true }) }],
  },
];
