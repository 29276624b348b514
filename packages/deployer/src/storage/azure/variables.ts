import { create, toJson } from "@bufbuild/protobuf";
import { findZones, getCloud, listSpecProblems } from "@cloudwright/contract/clouds";
import {
  BucketSchema,
  StorageSpecSchema,
  type Bucket,
  type StorageVolume,
} from "@cloudwright/contract/gen/cloudwright/v1/storage_pb.ts";
import { Fault } from "@cloudwright/platform";
import { isAtLeast } from "../../configuration-origin.ts";
import { deployerFaults } from "../../faults.ts";
import { refuseProblems } from "../../refuse-problems.ts";
import type { DeployedEntity, JsonObject } from "../../task.ts";
import { renderLifecycleRules } from "./lifecycle-rules.ts";

type Storage = DeployedEntity<"Storage">;

/** The region of a storage entity, its configuration version, and the version that the entity was created with. */
export interface StoragePlace {
  readonly region: string;
  readonly version: string;
  readonly origin: string;
}

/** Renders the variables for a bucket or a volume. Throws for settings that Azure does not have. */
export function renderKind(entity: Storage, place: StoragePlace): JsonObject {
  const { name, spec } = entity;
  const { type } = spec;
  const checked = { name, spec: toJson(StorageSpecSchema, spec) as JsonObject, owner: {}, region: place.region };
  refuseProblems(name, listSpecProblems("azure", "Storage", checked));
  if (type.case === "volume") return { volume: renderVolume(entity, type.value, place) };
  return { bucket: renderBucket(entity, type.value ?? create(BucketSchema), place) };
}

function renderBucket(entity: Storage, bucket: Bucket, place: StoragePlace): JsonObject {
  const { region } = place;
  const { versioning, expireAfterDays, encryptionKey, lifecycleRules, azure } = bucket;
  const zones = findZones("azure", region) ?? ["any"];
  const redundancy = azure?.redundancy || (zones.length === 0 ? "local" : "zone");
  return {
    redundancy,
    versioning,
    expire_after_days: expireAfterDays,
    key_id: encryptionKey || null,
    lifecycle_rules: renderLifecycleRules(lifecycleRules),
    ...renderProtection(entity, bucket, place),
  };
}

const since = "v1.1.0";
const defaultSoftDeleteDays = 7;

/** Renders the settings that storage/azure v1.1.0 added. Buckets created with an earlier version keep their behaviour. */
function renderProtection(entity: Storage, { objectLock, azure }: Bucket, { version, origin }: StoragePlace): JsonObject {
  if (!isAtLeast(version, since)) {
    const [extra] = [
      ...(objectLock === undefined ? [] : ["objectLock"]),
      ...(azure?.softDeleteDays === undefined ? [] : ["azure.softDeleteDays"]),
      ...(azure?.sharedKeys === undefined ? [] : ["azure.sharedKeys"]),
    ];
    if (extra === undefined) return {};
    const fix = `set spec.infra.version to ${since} to upgrade it`;
    const message = `configuration ${version} of ${entity.name} does not support spec.bucket.${extra}; ${fix}`;
    throw new Fault(deployerFaults.not_supported, message);
  }
  const isNew = isAtLeast(origin, since);
  return {
    soft_delete_days: azure?.softDeleteDays ?? (isNew ? defaultSoftDeleteDays : 0),
    shared_keys: azure?.sharedKeys ?? !isNew,
    object_lock: objectLock === undefined ? null : { mode: objectLock.mode, days: objectLock.days },
  };
}

const fastTypes = ["PremiumV2_LRS", "UltraSSD_LRS"];

function renderVolume(entity: Storage, volume: StorageVolume, { region, version, origin }: StoragePlace): JsonObject {
  const { sizeGib, iops, throughputMib, encryptionKey } = volume;
  const type = volume.type || "Premium_LRS";
  return {
    zone: findZone(entity, volume, type, region),
    size_gib: sizeGib,
    type,
    iops: iops === 0 ? null : iops,
    throughput: throughputMib === 0 ? null : throughputMib,
    disk_encryption_set_id: encryptionKey || null,
    // Volumes created with an earlier version of the configuration can still be exported.
    ...(isAtLeast(version, since) ? { exports: !isAtLeast(origin, since) } : {}),
  };
}

/** Returns a volume's zone number. Zone-redundant disks and disks in regions without zones have none. */
function findZone(entity: Storage, volume: StorageVolume, type: string, region: string): string | null {
  const { renderZone, defaultZones } = getCloud("azure").regions;
  const known = findZones("azure", region);
  if (type.endsWith("_ZRS")) {
    if (volume.zone !== "") throw bad(entity, `volume.zone is "${volume.zone}", but ${type} volumes are in all zones`);
    return null;
  }
  const first = known === undefined ? renderZone(region, defaultZones[0] ?? "1") : known[0];
  const zone = volume.zone === "" ? first : renderZone(region, volume.zone);
  if (zone === undefined) {
    if (fastTypes.includes(type))
      throw bad(entity, `volume.type is ${type}, which needs a zone, but the region ${region} has none`);
    return null;
  }
  if (known?.includes(zone) ?? new RegExp(`^${region}-[1-9]$`).test(zone)) return zone.slice(region.length + 1);
  throw new Fault(deployerFaults.bad_spec, `the zone "${zone}" in spec.volume.zone of ${entity.name} is not in ${region}`);
}

function bad({ name }: Storage, what: string): Fault {
  return new Fault(deployerFaults.bad_spec, `spec.${what} (${name})`);
}
