import { awsLifecycle } from "@cloudwright/contract/clouds/aws/storages";
import { listLifecycleProblems } from "@cloudwright/contract/clouds/spec-checks";
import type { LifecycleRule } from "@cloudwright/contract/gen/cloudwright/v1/storage_pb.ts";
import { refuseProblems } from "../../refuse-problems.ts";
import type { DeployedEntity, JsonObject } from "../../task.ts";

/**
 * Renders a bucket's lifecycle rules. Throws for rules that S3 would reject only after the bucket is created. The configuration uses the
 * reserved ids for its own rules.
 */
export function renderLifecycleRules(
  { name }: DeployedEntity<"Storage">,
  rules: readonly LifecycleRule[],
  reservedIds: readonly string[],
): JsonObject[] {
  refuseProblems(name, listLifecycleProblems({ ...awsLifecycle, reservedIds }, rules));
  return rules.map(renderRule);
}

function renderRule(rule: LifecycleRule): JsonObject {
  return {
    id: rule.id,
    prefix: rule.prefix,
    expire_after_days: rule.expireAfterDays,
    expire_noncurrent_after_days: rule.expireNoncurrentAfterDays,
    abort_uploads_after_days: rule.abortUploadsAfterDays,
    transitions: rule.transitions.map(({ afterDays, storageClass }) => ({ after_days: afterDays, storage_class: storageClass })),
  };
}
