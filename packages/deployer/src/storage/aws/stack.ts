import type { Bucket, StorageVolume } from "@cloudwright/contract/gen/cloudwright/v1/storage_pb.ts";
import { Fault } from "@cloudwright/platform";
import { pickOutputs } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import { findOrigin } from "../../configuration-origin.ts";
import { getNetwork } from "../../find-network.ts";
import { renderTags } from "../../render-tags.ts";
import type { Stack } from "../../stack.ts";
import type { JsonObject } from "../../task.ts";
import { createBucketGuard } from "../guard-bucket.ts";
import { takeFinalSnapshot } from "./final-snapshot.ts";
import { renderKind } from "./variables.ts";

const guard = createBucketGuard(/deleting S3 Bucket \(([^)]+)\).*BucketNotEmpty/);

/** An S3 bucket or an EBS volume. */
export const awsStorage: Stack<"Storage"> = {
  service: "storage",
  cloud: "aws",
  variables(entity, _account, around, version) {
    const { region } = getNetwork(entity, around);
    return {
      name: entity.name,
      region,
      ...renderKind(entity, { region, version, origin: findOrigin(around.outputs, version) }),
      owner: { project: entity.project, entity: entity.uid },
      tags: renderTags("aws", entity),
    };
  },
  removalVariables(entity, around, version) {
    const { name, project, uid, spec } = entity;
    const { region } = getNetwork(entity, around);
    if (version.startsWith("v0.")) return undefined;
    const kind = spec.type.case === "volume" ? renderVolume(region, spec.type.value) : renderBucket(spec.type.value);
    return { name, region, ...kind, owner: { project, entity: uid } };
  },
  environment: () => ({}),
  status(outputs) {
    const { values, problems } = pickOutputs(outputs, { resource_id: "text", arn: "text", domain_name: "text" });
    if (problems.length > 0) {
      const said = problems.map(({ field, message }) => `${field} ${message}`).join(", ");
      throw new Fault(deployerFaults.bad_outputs, `the outputs of the storage configuration are invalid: ${said}`);
    }
    return values;
  },
  ...guard,
  async prepareRemoval(entity, outputs, cloud, signal) {
    await takeFinalSnapshot(entity, outputs, cloud, signal);
    const { type } = entity.spec;
    // An older release may have built the volume with `final_snapshot`. Unless the current spec is applied first, Terraform would take
    // another snapshot.
    if (type.case === "volume") return { applyFirst: type.value.finalSnapshot && cloud.snapshotVolume !== undefined };
    return guard.prepareRemoval(entity, outputs, cloud, signal);
  },
  // Bucket settings are identified by the bucket's name, and role policies by their role.
  findUntagged({ type, names }, tagged) {
    const owner = type.startsWith("aws_s3_bucket_")
      ? "aws_s3_bucket"
      : type === "aws_iam_role_policy"
        ? "aws_iam_role"
        : undefined;
    const thing = names.map((id) => tagged.get(id)).find((address) => owner !== undefined && address?.startsWith(`${owner}.`));
    return owner === undefined ? undefined : thing?.replace(owner, type);
  },
};

/**
 * Renders the settings of a volume that is about to be deleted. The zone and size must match the volume: a different zone would replace
 * the volume first, and a smaller size would be rejected.
 */
function renderVolume(region: string, { zone, sizeGib }: StorageVolume): JsonObject {
  const full = /^[a-z]$/.test(zone) ? region + zone : zone;
  return { volume: { zone: full.startsWith(region) ? full : `${region}a`, size_gib: Math.max(1, sizeGib) } };
}

/** When a bucket is deleted, only `forceDestroy` matters. */
function renderBucket(bucket: Bucket | undefined): JsonObject {
  return { bucket: { force_destroy: bucket?.forceDestroy ?? false } };
}
