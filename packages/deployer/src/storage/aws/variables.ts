import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { numberOf, objectOf, textOf } from "../../read-spec.ts";
import type { DeployedEntity, Json, JsonObject } from "../../task.ts";
import { renderLifecycleRules } from "./lifecycle-rules.ts";

/** What a storage is, in the variables of a version; v0.1.0 knows less of it. */
export function renderKind(entity: DeployedEntity, region: string, version: string): JsonObject {
  const { spec } = entity;
  const isFirst = version.startsWith("v0.");
  if (spec["volume"] === undefined) {
    const bucket = objectOf(spec["bucket"]);
    if (isFirst) refuseExtras(entity, "bucket", bucket, ["encryptionKey", "lifecycleRules", "replication"]);
    return { bucket: { ...renderBucket(bucket), ...(isFirst ? {} : renderMore(entity, bucket)) } };
  }
  const volume = objectOf(spec["volume"]);
  if (isFirst) refuseExtras(entity, "volume", volume, ["iops", "throughputMib", "encryptionKey"]);
  return { volume: renderVolume(entity, region, volume) };
}

function renderBucket(bucket: JsonObject): JsonObject {
  return {
    versioning: bucket["versioning"] === true,
    expire_after_days: numberOf(bucket["expireAfterDays"]),
    force_destroy: bucket["forceDestroy"] === true,
  };
}

function renderMore(entity: DeployedEntity, bucket: JsonObject): JsonObject {
  return {
    ...renderText("kms_key_arn", bucket["encryptionKey"]),
    lifecycle_rules: renderLifecycleRules(entity, bucket),
    ...(bucket["replication"] === undefined ? {} : { replication: renderReplication(entity, bucket) }),
  };
}

// S3 leaves objects with a key of their own out of the copy, in silence, unless it is told the key of the copies.
function renderReplication({ name }: DeployedEntity, bucket: JsonObject): JsonObject {
  const replication = objectOf(bucket["replication"]);
  const [own, copies] = [textOf(bucket["encryptionKey"]), textOf(replication["encryptionKey"])];
  if ((own === "") !== (copies === "")) {
    const why = own === "" ? "is for buckets that have a key of their own" : "is needed: the bucket has a key of its own";
    throw new Fault(deployerFaults.bad_spec, `spec.bucket.replication.encryptionKey of ${name} ${why}`);
  }
  return {
    bucket_arn: textOf(replication["bucket"]),
    prefix: textOf(replication["prefix"]),
    ...renderText("storage_class", replication["storageClass"]),
    ...renderText("kms_key_arn", copies),
  };
}

function renderVolume({ name }: DeployedEntity, region: string, volume: JsonObject): JsonObject {
  const asked = textOf(volume["zone"]) || "a";
  const zone = /^[a-z]$/.test(asked) ? region + asked : asked;
  if (!zone.startsWith(region)) {
    throw new Fault(deployerFaults.bad_spec, `the zone "${zone}" in spec.volume.zone of ${name} is not in ${region}`);
  }
  const type = textOf(volume["type"]) || "gp3";
  const [iops, throughput] = [numberOf(volume["iops"]), numberOf(volume["throughputMib"])];
  const wrong = findWrongSpeed(type, iops, throughput);
  if (wrong !== undefined) throw new Fault(deployerFaults.bad_spec, `spec.volume.${wrong} (${name})`);
  return {
    zone,
    size_gib: numberOf(volume["sizeGib"]),
    type,
    ...(iops === 0 ? {} : { iops }),
    ...(throughput === 0 ? {} : { throughput }),
    ...renderText("kms_key_arn", volume["encryptionKey"]),
  };
}

const volumeTypes = ["gp3", "gp2", "io1", "io2", "st1", "sc1", "standard"];

function findWrongSpeed(type: string, iops: number, throughput: number): string | undefined {
  if (!volumeTypes.includes(type)) return `type is "${type}", not one of ${volumeTypes.join(", ")}`;
  if (throughput > 0 && type !== "gp3") return `throughputMib is for volumes of the type gp3, not ${type}`;
  if (iops > 0 && !["gp3", "io1", "io2"].includes(type)) return `iops is for volumes of the types gp3, io1 and io2, not ${type}`;
  return iops === 0 && ["io1", "io2"].includes(type) ? `iops is needed by volumes of the type ${type}` : undefined;
}

function renderText(name: string, value: Json | undefined): JsonObject {
  return textOf(value) === "" ? {} : { [name]: textOf(value) };
}

function refuseExtras({ name }: DeployedEntity, place: string, given: JsonObject, fields: readonly string[]): void {
  const extra = fields.find((field) => {
    const value = given[field];
    return Boolean(value) && !(Array.isArray(value) && value.length === 0);
  });
  if (extra === undefined) return;
  const way = "upgrade it by spec.infra.version: v1.0.0";
  throw new Fault(
    deployerFaults.not_supported,
    `spec.${place}.${extra} of ${name} cannot be built with its version v0.1.0; ${way}`,
  );
}
