import { createHash } from "node:crypto";
import type { HookContext } from "../../provider/definition.ts";
import { arnOf, hash } from "../place.ts";
import { textOf } from "../../values/read-value.ts";
import type { Refusal } from "../refusal.ts";
import { countObjects } from "./count-objects.ts";
import { makeId, type AwsChange, type AwsResource, type Reference } from "../resource.ts";

/** A reference to the bucket that a resource belongs to. Deleting the bucket also deletes the resource. */
export const ofBucket: Reference = {
  path: "bucket",
  to: ["aws_s3_bucket"],
  missing: () => ({ code: "NoSuchBucket", message: "The specified bucket does not exist", status: 404 }),
  tie: "follows",
};

const bucket: AwsResource = {
  service: "S3",
  noun: "Bucket",
  calls: { update: "PutBucketTagging" },
  id: (planned, _place, { nowMs }) =>
    textOf(planned["bucket"]) || `${textOf(planned["bucket_prefix"]) || "terraform-"}${makeId("", nowMs).slice(1)}`,
  arn: (id, _attributes, place) => arnOf(place, "s3", id),
  forceNew: ["bucket", "bucket_prefix", "object_lock_enabled"],
  defaults: { force_destroy: false },
  limits: [
    {
      quota: "buckets",
      within: "",
      refusal: () => ({ code: "TooManyBuckets", message: "You have attempted to create more buckets than allowed" }),
    },
  ],
  takes: { create: 2, delete: 1 },
  check: (change, context) => checkBucket(change, context),
  compute: ({ id, place }) => ({
    bucket: id,
    bucket_domain_name: `${id}.s3.${place.suffix}`,
    bucket_regional_domain_name: `${id}.s3.${place.region}.${place.suffix}`,
    bucket_region: place.region,
    hosted_zone_id: `Z${hash(place.region).slice(0, 13).toUpperCase()}`,
    bucket_namespace: "global",
    object_lock_enabled: false,
    request_payer: "BucketOwner",
    website_domain: "",
    website_endpoint: "",
  }),
};

const object: AwsResource = {
  service: "S3",
  noun: "Object",
  calls: { create: "PutObject", update: "PutObject", delete: "DeleteObject" },
  id: (planned) => `${textOf(planned["bucket"])}/${textOf(planned["key"])}`,
  arn: (id, _attributes, place) => arnOf(place, "s3", id),
  forceNew: ["bucket", "key"],
  defaults: { force_destroy: false },
  recompute: {
    etag: ["content", "content_base64", "source", "source_hash"],
    version_id: ["content", "content_base64", "source"],
  },
  names: [ofBucket],
  compute: ({ id, planned }, { nowMs }) => {
    const content = textOf(planned["content"]) || Buffer.from(textOf(planned["content_base64"]), "base64");
    return {
      etag: createHash("md5").update(content).digest("hex"),
      version_id: hash(`${id} ${nowMs}`).slice(0, 32),
      content_type: "application/octet-stream",
      storage_class: "STANDARD",
      server_side_encryption: "AES256",
      bucket_key_enabled: false,
      checksum_crc32: "",
      checksum_crc32c: "",
      checksum_crc64nvme: "",
      checksum_sha1: "",
      checksum_sha256: "",
    };
  },
};

async function checkBucket({ operation, id, prior }: AwsChange, context: HookContext): Promise<readonly Refusal[]> {
  if (operation === "create") {
    if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(id) || id.includes("..") || /^\d+\.\d+\.\d+\.\d+$/.test(id)) {
      return [{ code: "InvalidBucketName", message: "The specified bucket is not valid.", path: ["bucket"] }];
    }
    const isOwn = (await context.find({ type: "aws_s3_bucket", id })) !== undefined;
    return isOwn
      ? [
          {
            code: "BucketAlreadyOwnedByYou",
            message: "Your previous request to create the named bucket succeeded and you already own it.",
            status: 409,
          },
        ]
      : [];
  }
  if (operation === "update" || prior["force_destroy"] === true) return [];
  const found = await context.find({ type: "aws_s3_bucket", id });
  if (countObjects(found, await context.list("aws_s3_object")) === 0) return [];
  const versioning = await context.find({ type: "aws_s3_bucket_versioning", id });
  const isVersioned = JSON.stringify(versioning?.attributes["versioning_configuration"] ?? "").includes('"Enabled"');
  // S3's own message does not contain the number of objects, so the simulated message omits it too.
  const more = isVersioned ? ". You must delete all versions in the bucket." : "";
  return [{ code: "BucketNotEmpty", message: `The bucket you tried to delete is not empty${more}`, status: 409 }];
}

/** The S3 bucket and object resource types. */
export const buckets = { aws_s3_bucket: bucket, aws_s3_object: object } as const;
