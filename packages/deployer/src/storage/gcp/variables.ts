import { create, toJson } from "@bufbuild/protobuf";
import { getCloud, listDefaultZones, listSpecProblems } from "@cloudwright/contract/clouds";
import {
  BucketSchema,
  StorageSpecSchema,
  StorageVolumeSchema,
  type Bucket,
  type StorageVolume,
} from "@cloudwright/contract/gen/cloudwright/v1/storage_pb.ts";
import { Fault } from "@cloudwright/platform";
import { isAtLeast } from "../../configuration-origin.ts";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity, JsonObject } from "../../task.ts";
import { renderGrants } from "./bucket-policy.ts";
import { renderLifecycleRules } from "./lifecycle-rules.ts";
import { refuseProblems } from "../../refuse-problems.ts";
import { refuseOtherClouds } from "../refuse-other-clouds.ts";

type Storage = DeployedEntity<"Storage">;

/** The region of a storage entity, its configuration version, and the version that the entity was created with. */
export interface StoragePlace {
  readonly region: string;
  readonly version: string;
  readonly origin: string;
  /** Retention period of the existing bucket's locked retention policy, in days. 0 if there is no such policy. */
  readonly lockedDays: number;
}

/** Fields of volumes and buckets that the given configuration version added. */
const later = {
  version: "v1.1.0",
  volume: ["finalSnapshot"],
  bucket: ["abortUploadsAfterDays", "policy"],
} as const;

/**
 * Default number of days after which incomplete uploads are deleted. Buckets created with an older configuration version keep incomplete
 * uploads by default.
 */
const defaultAbortDays = 7;

/** Renders the variables for a bucket or a disk. Throws if the spec has a field that the cloud or the version does not support. */
export function renderKind(entity: Storage, { region, version, origin, lockedDays }: StoragePlace): JsonObject {
  const { type } = entity.spec;
  const isLater = isAtLeast(version, later.version);
  if (type.case === "volume") {
    refuseExtras(entity, version, "volume", toJson(StorageVolumeSchema, type.value));
    refuseUnfit(entity, region);
    const more = isLater ? { final_snapshot: type.value.finalSnapshot } : {};
    return { volume: { ...renderVolume(entity, region, type.value), ...more } };
  }
  const bucket = type.value ?? create(BucketSchema);
  refuseOtherClouds("gcp", entity.name, bucket);
  refuseExtras(entity, version, "bucket", toJson(BucketSchema, bucket));
  refuseUnfit(entity, region);
  refuseUnlocking(entity, bucket, lockedDays);
  return { bucket: { ...renderBucket(bucket), ...(isLater ? renderLater(entity, bucket, origin) : {}) } };
}

/** Throws if the spec has settings that Google Cloud does not accept. */
function refuseUnfit({ name, spec }: Storage, region: string): void {
  const checked = { name, spec: toJson(StorageSpecSchema, spec) as JsonObject, owner: {}, region };
  refuseProblems(name, listSpecProblems("gcp", "Storage", checked));
}

/** Returns the zone of disks whose spec does not name one. */
export function findDefaultZone(region: string): string {
  return listDefaultZones("gcp", region)[0] ?? `${region}-a`;
}

/**
 * Throws if the spec would unlock or shorten a locked retention policy. Cloud Storage does not allow this, so the provider would replace
 * the bucket.
 */
function refuseUnlocking(entity: Storage, { objectLock }: Bucket, lockedDays: number): void {
  if (lockedDays === 0 || (objectLock?.mode === "COMPLIANCE" && objectLock.days >= lockedDays)) return;
  throw fail(
    entity,
    `spec.bucket.objectLock must keep the mode COMPLIANCE and at least ${lockedDays} days, because the bucket's retention policy is locked`,
  );
}

function renderBucket(bucket: Bucket): JsonObject {
  const { versioning, expireAfterDays, forceDestroy, encryptionKey, lifecycleRules, objectLock } = bucket;
  return {
    versioning,
    expire_after_days: expireAfterDays,
    force_destroy: forceDestroy,
    ...renderKey(encryptionKey),
    lifecycle_rules: renderLifecycleRules(lifecycleRules),
    // In Cloud Storage, the equivalent of the COMPLIANCE mode is a locked retention policy.
    ...(objectLock === undefined ? {} : { retention: { days: objectLock.days, locked: objectLock.mode === "COMPLIANCE" } }),
  };
}

function renderLater(entity: Storage, { abortUploadsAfterDays, policy }: Bucket, origin: string): JsonObject {
  const standard = isAtLeast(origin, later.version) ? defaultAbortDays : 0;
  return { abort_uploads_after_days: abortUploadsAfterDays ?? standard, grants: renderGrants(entity, policy) };
}

function renderVolume(entity: Storage, region: string, volume: StorageVolume): JsonObject {
  const { sizeGib, iops, throughputMib } = volume;
  const zone = volume.zone === "" ? findDefaultZone(region) : getCloud("gcp").regions.renderZone(region, volume.zone);
  if (!new RegExp(`^${region}-[a-z]$`).test(zone))
    throw fail(entity, `the zone "${zone}" in spec.volume.zone is not in ${region}`);
  return {
    zone,
    size_gib: sizeGib,
    type: volume.type || "pd-balanced",
    ...(iops === 0 ? {} : { iops }),
    ...(throughputMib === 0 ? {} : { throughput: throughputMib }),
    ...renderKey(volume.encryptionKey),
  };
}

function renderKey(key: string): JsonObject {
  return key === "" ? {} : { kms_key_name: key };
}

function refuseExtras({ name }: Storage, version: string, place: "bucket" | "volume", set: unknown): void {
  const extra = later[place].find((field) => Object.hasOwn(set as object, field));
  if (extra === undefined || isAtLeast(version, later.version)) return;
  const fix = `set spec.infra.version to ${later.version} to upgrade it`;
  const message = `configuration ${version} of ${name} does not support spec.${place}.${extra}; ${fix}`;
  throw new Fault(deployerFaults.not_supported, message);
}

function fail({ name }: Storage, problem: string): Fault {
  return new Fault(deployerFaults.bad_spec, `${problem} (${name})`);
}
