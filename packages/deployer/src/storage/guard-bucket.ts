import { Fault } from "@cloudwright/platform";
import type { Cloud } from "../cloud.ts";
import { deployerFaults } from "../faults.ts";
import { textOf } from "../read-spec.ts";
import type { Stack } from "../stack.ts";
import type { DeployedEntity, JsonObject } from "../task.ts";

/**
 * Creates the functions that protect the objects of a bucket when the bucket is deleted. `notEmpty` matches the provider's error for a
 * bucket that is not empty. The first group of `notEmpty` captures the bucket's name.
 */
export function createBucketGuard(
  notEmpty: RegExp,
): Required<Pick<Stack<"Storage">, "prepareRemoval" | "explainRemovalFailure">> {
  return {
    prepareRemoval,
    // The provider's message contains the bucket's name but not the object count.
    async explainRemovalFailure(fault, { countObjects }) {
      const [, bucket] = notEmpty.exec(fault.message) ?? [];
      return bucket === undefined ? undefined : describeLeft(bucket, await countObjects?.(bucket), fault);
    },
  };
}

/**
 * Rejects the deletion of a bucket that contains objects. Terraform deletes the bucket's settings first, so a later failure would leave the
 * bucket unprotected. Terraform reads `force_destroy` from the state, so a changed value must be applied before the deletion.
 */
async function prepareRemoval(
  { spec }: DeployedEntity<"Storage">,
  outputs: JsonObject,
  { countObjects }: Pick<Cloud, "countObjects">,
): Promise<{ readonly applyFirst: boolean }> {
  const bucket = textOf(outputs["resource_id"]);
  if (spec.type.case !== "bucket" || bucket === "") return { applyFirst: false };
  const left = await countObjects?.(bucket);
  const isForced = spec.type.value.forceDestroy;
  if (!isForced && left !== undefined && left > 0) throw describeLeft(bucket, left);
  return { applyFirst: isForced && left !== 0 };
}

function describeLeft(bucket: string, left: number | undefined, cause?: Fault): Fault {
  const objects = left === undefined ? "objects" : left === 1 ? "1 object" : `${left} objects`;
  return new Fault(deployerFaults.bucket_not_empty, `the bucket ${bucket} still contains ${objects}`, {
    ...(cause === undefined ? {} : { cause }),
    extra: { bucket, ...(left === undefined ? {} : { objects: left }) },
  });
}
