import { create, toJson } from "@bufbuild/protobuf";
import { getCloud, listDefaultZones } from "@cloudwright/contract/clouds";
import { BucketSchema, VolumeSchema, type Bucket, type Volume } from "@cloudwright/contract/gen/cloudwright/v1/storage_pb.ts";
import { Fault } from "@cloudwright/platform";
import { isAtLeast } from "../../configuration-origin.ts";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity, JsonObject } from "../../task.ts";
import { renderGrants } from "./bucket-policy.ts";
import { renderLifecycleRules } from "./lifecycle-rules.ts";
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

const keyPattern = /^projects\/[^/]+\/locations\/([^/]+)\/keyRings\/[^/]+\/cryptoKeys\/[^/]+$/;
const keyExample = "projects/my-project/locations/europe-west1/keyRings/main/cryptoKeys/storage";

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
    refuseExtras(entity, version, "volume", toJson(VolumeSchema, type.value));
    const more = isLater ? { final_snapshot: type.value.finalSnapshot } : {};
    return { volume: { ...renderVolume(entity, region, type.value), ...more } };
  }
  const bucket = type.value ?? create(BucketSchema);
  refuseOtherClouds("gcp", entity.name, bucket);
  refuseExtras(entity, version, "bucket", toJson(BucketSchema, bucket));
  refuseUnlocking(entity, bucket, lockedDays);
  return { bucket: { ...renderBucket(entity, region, bucket), ...(isLater ? renderLater(entity, bucket, origin) : {}) } };
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

function renderBucket(entity: Storage, region: string, bucket: Bucket): JsonObject {
  const { versioning, expireAfterDays, forceDestroy, encryptionKey, lifecycleRules, replication, objectLock } = bucket;
  if (/^goog|google|g00gle/.test(entity.name))
    throw fail(entity, `metadata.name is "${entity.name}"; the names of buckets must not start with goog or contain google`);
  if (replication !== undefined)
    throw fail(
      entity,
      "spec.bucket.replication is not supported in Google Cloud; copy the objects with Storage Transfer Service, or use a bucket of your own in a dual-region",
    );
  return {
    versioning,
    expire_after_days: expireAfterDays,
    force_destroy: forceDestroy,
    ...renderKey(entity, "spec.bucket.encryptionKey", encryptionKey, region),
    lifecycle_rules: renderLifecycleRules(entity, lifecycleRules),
    // In Cloud Storage, the equivalent of the COMPLIANCE mode is a locked retention policy.
    ...(objectLock === undefined ? {} : { retention: { days: objectLock.days, locked: objectLock.mode === "COMPLIANCE" } }),
  };
}

function renderLater(entity: Storage, { abortUploadsAfterDays, policy }: Bucket, origin: string): JsonObject {
  const standard = isAtLeast(origin, later.version) ? defaultAbortDays : 0;
  return { abort_uploads_after_days: abortUploadsAfterDays ?? standard, grants: renderGrants(entity, policy) };
}

interface DiskType {
  readonly minGib: number;
  readonly iops: boolean;
  readonly throughput: boolean;
}

const diskTypes: Readonly<Record<string, DiskType>> = {
  "pd-balanced": { minGib: 1, iops: false, throughput: false },
  "pd-ssd": { minGib: 1, iops: false, throughput: false },
  "pd-standard": { minGib: 1, iops: false, throughput: false },
  "pd-extreme": { minGib: 500, iops: true, throughput: false },
  "hyperdisk-balanced": { minGib: 4, iops: true, throughput: true },
  "hyperdisk-extreme": { minGib: 64, iops: true, throughput: false },
  "hyperdisk-throughput": { minGib: 2048, iops: false, throughput: true },
};

function renderVolume(entity: Storage, region: string, volume: Volume): JsonObject {
  const { sizeGib, iops, throughputMib } = volume;
  const zone = volume.zone === "" ? findDefaultZone(region) : getCloud("gcp").regions.renderZone(region, volume.zone);
  if (!new RegExp(`^${region}-[a-z]$`).test(zone))
    throw fail(entity, `the zone "${zone}" in spec.volume.zone is not in ${region}`);
  const type = volume.type || "pd-balanced";
  const facts = Object.hasOwn(diskTypes, type) ? diskTypes[type] : undefined;
  if (facts === undefined) throw fail(entity, `spec.volume.type is "${type}"; use one of ${Object.keys(diskTypes).join(", ")}`);
  if (sizeGib < facts.minGib)
    throw fail(entity, `spec.volume.sizeGib is ${sizeGib}; the smallest ${type} disk has ${facts.minGib} GiB`);
  if (iops > 0 && !facts.iops)
    throw fail(entity, `spec.volume.iops is only supported for ${listTypes("iops")} disks, not for ${type}`);
  if (throughputMib > 0 && !facts.throughput)
    throw fail(entity, `spec.volume.throughputMib is only supported for ${listTypes("throughput")} disks, not for ${type}`);
  return {
    zone,
    size_gib: sizeGib,
    type,
    ...(iops === 0 ? {} : { iops }),
    ...(throughputMib === 0 ? {} : { throughput: throughputMib }),
    ...renderKey(entity, "spec.volume.encryptionKey", volume.encryptionKey, region),
  };
}

function listTypes(setting: "iops" | "throughput"): string {
  return Object.keys(diskTypes)
    .filter((type) => diskTypes[type]?.[setting])
    .join(", ");
}

function renderKey(entity: Storage, field: string, key: string, region: string): JsonObject {
  if (key === "") return {};
  const [, location] = keyPattern.exec(key) ?? [];
  if (location === undefined) throw fail(entity, `${field} is "${key}"; use the full name of a key such as ${keyExample}`);
  if (location.toLowerCase() !== region)
    throw fail(entity, `${field} is a key in ${location}; Google Cloud requires a key in ${region}, the region of the storage`);
  return { kms_key_name: key };
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
