import { create, toJson } from "@bufbuild/protobuf";
import {
  BucketSchema,
  StorageVolumeSchema,
  type Bucket,
  type BucketReplication,
  type StorageVolume,
} from "@cloudwright/contract/gen/cloudwright/v1/storage_pb.ts";
import { listAwsReplicationProblems, listAwsVolumeProblems } from "@cloudwright/contract/clouds/aws/storages";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity, JsonObject } from "../../task.ts";
import { isAtLeast } from "../../configuration-origin.ts";
import { renderStatements } from "./bucket-policy.ts";
import { renderLifecycleRules } from "./lifecycle-rules.ts";
import { refuseProblems } from "../../refuse-problems.ts";
import { refuseOtherClouds } from "../refuse-other-clouds.ts";

type Storage = DeployedEntity<"Storage">;

/** The region of a storage entity, its configuration version, and the version that the entity was created with. */
export interface StoragePlace {
  readonly region: string;
  readonly version: string;
  readonly origin: string;
}

/** Renders the variables for a bucket or a volume. Older versions support fewer fields than later ones. */
export function renderKind(entity: Storage, { region, version, origin }: StoragePlace): JsonObject {
  const { type } = entity.spec;
  const isSecond = isAtLeast(version, secondFields.version);
  const isLatest = isAtLeast(version, latestFields.version);
  if (type.case === "volume") {
    refuseExtras(entity, version, "volume", toJson(StorageVolumeSchema, type.value));
    // The final snapshot is not a variable, because it is taken before Terraform deletes the volume.
    return { volume: renderVolume(entity, region, type.value) };
  }
  const bucket = type.value ?? create(BucketSchema);
  refuseOtherClouds("aws", entity.name, bucket);
  refuseExtras(entity, version, "bucket", toJson(BucketSchema, bucket));
  return {
    bucket: {
      ...renderBucket(bucket),
      ...(isSecond ? renderMore(entity, bucket, isLatest ? ["expire", "abort-uploads"] : ["expire"]) : {}),
      ...(isLatest ? renderProtection(entity, bucket, origin) : {}),
    },
  };
}

/** Fields of volumes and buckets that the given configuration version added. */
const secondFields = {
  version: "v1.0.0",
  volume: ["iops", "throughputMib", "encryptionKey"],
  bucket: ["encryptionKey", "lifecycleRules", "replication"],
} as const;
const latestFields = {
  version: "v1.2.0",
  volume: ["finalSnapshot"],
  bucket: ["abortUploadsAfterDays", "objectLock", "policy"],
} as const;

/**
 * Default number of days after which incomplete uploads are deleted. Buckets created with an older configuration version keep incomplete
 * uploads by default.
 */
const defaultAbortDays = 7;

function renderProtection(entity: Storage, bucket: Bucket, origin: string): JsonObject {
  const { abortUploadsAfterDays, objectLock, policy } = bucket;
  const standard = isAtLeast(origin, latestFields.version) ? defaultAbortDays : 0;
  return {
    abort_uploads_after_days: abortUploadsAfterDays ?? standard,
    ...(objectLock === undefined ? {} : { object_lock: { mode: objectLock.mode, days: objectLock.days } }),
    policy_statements: renderStatements(entity, policy),
  };
}

function renderBucket({ versioning, expireAfterDays, forceDestroy }: Bucket): JsonObject {
  return { versioning, expire_after_days: expireAfterDays, force_destroy: forceDestroy };
}

function renderMore(entity: Storage, bucket: Bucket, reservedIds: readonly string[]): JsonObject {
  const { encryptionKey, lifecycleRules, replication } = bucket;
  refuseProblems(
    entity.name,
    listAwsReplicationProblems({ encryptionKey, ...(replication === undefined ? {} : { replication }) }),
  );
  return {
    ...renderText("kms_key_arn", encryptionKey),
    lifecycle_rules: renderLifecycleRules(entity, lifecycleRules, reservedIds),
    ...(replication === undefined ? {} : { replication: renderReplication(replication) }),
  };
}

function renderReplication({ bucket, prefix, storageClass, encryptionKey }: BucketReplication): JsonObject {
  return {
    bucket_arn: bucket,
    prefix,
    ...renderText("storage_class", storageClass),
    ...renderText("kms_key_arn", encryptionKey),
  };
}

function renderVolume({ name }: Storage, region: string, volume: StorageVolume): JsonObject {
  const requested = volume.zone || "a";
  const zone = /^[a-z]$/.test(requested) ? region + requested : requested;
  if (!zone.startsWith(region)) {
    throw new Fault(deployerFaults.bad_spec, `the zone "${zone}" in spec.volume.zone of ${name} is not in ${region}`);
  }
  const type = volume.type || "gp3";
  const { sizeGib, iops, throughputMib } = volume;
  refuseProblems(name, listAwsVolumeProblems(volume));
  return {
    zone,
    size_gib: sizeGib,
    type,
    ...(iops === 0 ? {} : { iops }),
    ...(throughputMib === 0 ? {} : { throughput: throughputMib }),
    ...renderText("kms_key_arn", volume.encryptionKey),
  };
}

function renderText(name: string, value: string): JsonObject {
  return value === "" ? {} : { [name]: value };
}

function refuseExtras({ name }: Storage, version: string, place: "bucket" | "volume", set: unknown): void {
  for (const { version: since, [place]: fields } of [secondFields, latestFields]) {
    const extra = fields.find((field) => Object.hasOwn(set as object, field));
    if (extra === undefined || isAtLeast(version, since)) continue;
    const fix = `set spec.infra.version to ${since} to upgrade it`;
    const message = `configuration ${version} of ${name} does not support spec.${place}.${extra}; ${fix}`;
    throw new Fault(deployerFaults.not_supported, message);
  }
}
