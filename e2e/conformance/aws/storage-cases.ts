import type { ConformanceCase, Variables } from "../conformance-case.ts";

const region = "eu-west-1";
const owner = { project: "default", entity: "0199aaaa-0000-7000-8000-0123456789ab" };
const newest = "storage/aws/v1.2.0";
const keyOf = (name: string): string => `arn:aws:kms:${region}:123456789012:key/${name}`;
const base: Variables = { name: "data", region, owner };

const rule = {
  id: "cold",
  prefix: "old/",
  expire_after_days: 400,
  expire_noncurrent_after_days: 20,
  abort_uploads_after_days: 3,
  transitions: [{ after_days: 30, storage_class: "GLACIER" }],
};

/** A bucket that uses every setting of v1.0.0 and v1.1.0. */
const bucket = {
  versioning: true,
  expire_after_days: 365,
  force_destroy: true,
  kms_key_arn: keyOf("a"),
  lifecycle_rules: [rule],
  replication: { bucket_arn: "arn:aws:s3:::{bucket}", prefix: "logs/", storage_class: "STANDARD_IA", kms_key_arn: keyOf("b") },
};

const statement = JSON.stringify({
  Sid: "Team",
  Effect: "Allow",
  Principal: { AWS: "arn:aws:iam::123456789012:root" },
  Action: "s3:GetObject",
});

const inOrganisation = {
  Effect: "Allow",
  Principal: "*",
  Action: ["s3:GetObject"],
  Condition: { StringEquals: { "aws:PrincipalOrgID": "o-1234567890" } },
};
const denyDeletion = { Sid: "Keep", Effect: "Deny", Principal: { AWS: ["123456789012"] }, Action: "s3:DeleteObject" };

/** All bucket settings added in v1.2.0. */
const latest = { abort_uploads_after_days: 5, object_lock: { mode: "GOVERNANCE", days: 2 }, policy_statements: [statement] };

const volume = { zone: `${region}a`, size_gib: 20, type: "gp3", iops: 4000, throughput: 250, kms_key_arn: keyOf("a") };
const alias = `arn:aws:kms:${region}:123456789012:alias/data`;

const upgradeBucket = (version: string): ConformanceCase => ({
  title: `a bucket of ${version} with every setting, upgraded`,
  place: `storage/aws/${version}`,
  variables: { ...base, tags: { team: "a" }, bucket: version === "v0.1.0" ? firstBucket : bucket },
  changes: ["v1.0.0", "v1.1.0", "v1.2.0"].filter((each) => each > version).map((each) => ({ place: `storage/aws/${each}` })),
});

const upgradeVolume = (version: string, type: string): ConformanceCase => ({
  title: `a volume of ${version} and type ${type}, upgraded`,
  place: `storage/aws/${version}`,
  variables: { ...base, volume: type === "gp2" ? firstVolume : { ...volume, type, throughput: type === "gp3" ? 250 : null } },
  changes: ["v1.0.0", "v1.1.0", "v1.2.0"].filter((each) => each > version).map((each) => ({ place: `storage/aws/${each}` })),
});

const firstBucket = { versioning: true, expire_after_days: 30, force_destroy: true };
const firstVolume = { zone: `${region}a`, size_gib: 10, type: "gp2" };

/** The cases of the storage configurations. */
export const storageCases: readonly ConformanceCase[] = [
  { title: "a bucket with defaults", place: newest, variables: { ...base, bucket: {} } },
  {
    title: "a bucket with every setting, and changes to live settings",
    place: newest,
    variables: { ...base, tags: { team: "a" }, bucket: { ...bucket, ...latest } },
    changes: [
      {
        variables: {
          tags: { team: "b" },
          bucket: {
            ...bucket,
            expire_after_days: 30,
            lifecycle_rules: [],
            replication: { ...bucket.replication, prefix: "", storage_class: null },
            abort_uploads_after_days: 7,
            object_lock: { mode: "COMPLIANCE", days: 1 },
            policy_statements: [],
          },
        },
      },
      {
        variables: { bucket: { versioning: true, force_destroy: true } },
        mayRemove: /^aws_(s3_bucket_(lifecycle|replication|object_lock)_configuration|iam_role|iam_role_policy)\./,
      },
    ],
  },
  {
    title: "a bucket that loses its key, its policy and its versioning, and gets other rules",
    place: newest,
    variables: {
      ...base,
      bucket: {
        versioning: true,
        kms_key_arn: alias,
        abort_uploads_after_days: 7,
        policy_statements: [inOrganisation, denyDeletion].map((each) => JSON.stringify(each)),
      },
    },
    changes: [
      { variables: { bucket: {} }, mayRemove: /^aws_s3_bucket_lifecycle_configuration\./ },
      {
        variables: {
          bucket: {
            versioning: true,
            lifecycle_rules: [
              {
                id: "move",
                transitions: [
                  { after_days: 0, storage_class: "INTELLIGENT_TIERING" },
                  { after_days: 90, storage_class: "DEEP_ARCHIVE" },
                ],
              },
              { id: "forget", prefix: "x/", expire_noncurrent_after_days: 3 },
            ],
          },
        },
      },
    ],
  },
  ...["v0.1.0", "v1.0.0", "v1.1.0"].map(upgradeBucket),
  { title: "a volume with defaults", place: newest, variables: { ...base, volume: { zone: `${region}a`, size_gib: 10 } } },
  {
    title: "a volume with every setting, whose performance settings are removed and whose type changes",
    place: newest,
    variables: { ...base, volume: { ...volume, final_snapshot: true } },
    changes: [
      { variables: { volume: { ...volume, iops: null, throughput: null, size_gib: 30 } } },
      { variables: { volume: { ...volume, iops: null, throughput: null, size_gib: 30, type: "gp2" } } },
      { variables: { volume: { ...volume, iops: 3500, throughput: null, size_gib: 30, type: "gp3" } } },
      { variables: { volume: { ...volume, iops: 5000, throughput: null, size_gib: 30, type: "io2" } } },
      { variables: { volume: { ...volume, iops: null, throughput: null, size_gib: 30, type: "gp3" } } },
    ],
  },
  {
    title: "a volume whose key is specified by an alias",
    place: newest,
    variables: { ...base, volume: { ...firstVolume, kms_key_arn: alias } },
  },
  ...["gp2"].map((type) => upgradeVolume("v0.1.0", type)),
  ...["gp3", "io2"].flatMap((type) => ["v1.0.0", "v1.1.0"].map((version) => upgradeVolume(version, type))),
];
