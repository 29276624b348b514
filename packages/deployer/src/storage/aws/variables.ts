import { create, toJson } from "@bufbuild/protobuf";
import {
  BucketSchema,
  VolumeSchema,
  type Bucket,
  type BucketReplication,
  type Volume,
} from "@cloudwright/contract/gen/cloudwright/v1/storage_pb.ts";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity, JsonObject } from "../../task.ts";
import { renderLifecycleRules } from "./lifecycle-rules.ts";

type Storage = DeployedEntity<"Storage">;

/** Renders the variables for a bucket or a volume. v0.1.0 supports fewer fields than later versions. */
export function renderKind(entity: Storage, region: string, version: string): JsonObject {
  const { type } = entity.spec;
  const isFirst = version.startsWith("v0.");
  if (type.case === "volume") {
    if (isFirst) refuseExtras(entity, "volume", toJson(VolumeSchema, type.value), ["iops", "throughputMib", "encryptionKey"]);
    return { volume: renderVolume(entity, region, type.value) };
  }
  const bucket = type.value ?? create(BucketSchema);
  if (isFirst) refuseExtras(entity, "bucket", toJson(BucketSchema, bucket), ["encryptionKey", "lifecycleRules", "replication"]);
  return { bucket: { ...renderBucket(bucket), ...(isFirst ? {} : renderMore(entity, bucket)) } };
}

function renderBucket({ versioning, expireAfterDays, forceDestroy }: Bucket): JsonObject {
  return { versioning, expire_after_days: expireAfterDays, force_destroy: forceDestroy };
}

function renderMore(entity: Storage, bucket: Bucket): JsonObject {
  const { encryptionKey, lifecycleRules, replication } = bucket;
  return {
    ...renderText("kms_key_arn", encryptionKey),
    lifecycle_rules: renderLifecycleRules(entity, lifecycleRules),
    ...(replication === undefined ? {} : { replication: renderReplication(entity, encryptionKey, replication) }),
  };
}

// Without a key for the copies, S3 silently skips encrypted objects during replication.
function renderReplication({ name }: Storage, ownKey: string, replication: BucketReplication): JsonObject {
  const { bucket, prefix, storageClass, encryptionKey } = replication;
  if ((ownKey === "") !== (encryptionKey === "")) {
    const why =
      ownKey === ""
        ? "is only supported if the bucket has its own encryption key"
        : "is required because the bucket has its own encryption key";
    throw new Fault(deployerFaults.bad_spec, `spec.bucket.replication.encryptionKey of ${name} ${why}`);
  }
  return {
    bucket_arn: bucket,
    prefix,
    ...renderText("storage_class", storageClass),
    ...renderText("kms_key_arn", encryptionKey),
  };
}

function renderVolume({ name }: Storage, region: string, volume: Volume): JsonObject {
  const requested = volume.zone || "a";
  const zone = /^[a-z]$/.test(requested) ? region + requested : requested;
  if (!zone.startsWith(region)) {
    throw new Fault(deployerFaults.bad_spec, `the zone "${zone}" in spec.volume.zone of ${name} is not in ${region}`);
  }
  const type = volume.type || "gp3";
  const { sizeGib, iops, throughputMib } = volume;
  const wrong = findWrongSpeed(type, iops, throughputMib);
  if (wrong !== undefined) throw new Fault(deployerFaults.bad_spec, `spec.volume.${wrong} (${name})`);
  return {
    zone,
    size_gib: sizeGib,
    type,
    ...(iops === 0 ? {} : { iops }),
    ...(throughputMib === 0 ? {} : { throughput: throughputMib }),
    ...renderText("kms_key_arn", volume.encryptionKey),
  };
}

const volumeTypes = ["gp3", "gp2", "io1", "io2", "st1", "sc1", "standard"];

function findWrongSpeed(type: string, iops: number, throughput: number): string | undefined {
  if (!volumeTypes.includes(type)) return `type is "${type}"; use one of ${volumeTypes.join(", ")}`;
  if (throughput > 0 && type !== "gp3") return `throughputMib is only supported for gp3 volumes, not for ${type}`;
  if (iops > 0 && !["gp3", "io1", "io2"].includes(type))
    return `iops is only supported for gp3, io1 and io2 volumes, not for ${type}`;
  return iops === 0 && ["io1", "io2"].includes(type) ? `iops is required for ${type} volumes` : undefined;
}

function renderText(name: string, value: string): JsonObject {
  return value === "" ? {} : { [name]: value };
}

function refuseExtras({ name }: Storage, place: string, set: unknown, fields: readonly string[]): void {
  const extra = fields.find((field) => Object.hasOwn(set as object, field));
  if (extra === undefined) return;
  const fix = "set spec.infra.version to v1.0.0 to upgrade it";
  throw new Fault(
    deployerFaults.not_supported,
    `configuration v0.1.0 of ${name} does not support spec.${place}.${extra}; ${fix}`,
  );
}
