import type { LifecycleRule } from "@cloudwright/contract/gen/cloudwright/v1/storage_pb.ts";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity, JsonObject } from "../../task.ts";

const classes = ["STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER_IR", "GLACIER", "DEEP_ARCHIVE"];
// S3 allows transitions to these storage classes only after 30 days.
const lateClasses = new Set(["STANDARD_IA", "ONEZONE_IA"]);
const lateDays = 30;

/**
 * Renders a bucket's lifecycle rules. Throws for rules that S3 would reject only after the bucket is created. The configuration uses the
 * reserved ids for its own rules.
 */
export function renderLifecycleRules(
  { name }: DeployedEntity<"Storage">,
  rules: readonly LifecycleRule[],
  reservedIds: readonly string[],
): JsonObject[] {
  const ids = [...reservedIds, ...rules.map(({ id }) => id)];
  const twin = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  const wrong =
    twin > 0
      ? `[${twin - reservedIds.length}].id is already in use: ${ids[twin] ?? ""}`
      : rules.map(findWrong).find((each) => each !== undefined);
  if (wrong !== undefined) throw new Fault(deployerFaults.bad_spec, `spec.bucket.lifecycleRules${wrong} (${name})`);
  return rules.map(renderRule);
}

function findWrong({ transitions, expireAfterDays }: LifecycleRule, index: number): string | undefined {
  for (const [place, { afterDays, storageClass }] of transitions.entries()) {
    const at = `[${index}].transitions[${place}]`;
    if (!classes.includes(storageClass)) return `${at}.storageClass is ${storageClass}; use one of ${classes.join(", ")}`;
    if (transitions.findIndex((other) => other.storageClass === storageClass) !== place)
      return `${at}.storageClass is used twice: ${storageClass}`;
    if (lateClasses.has(storageClass) && afterDays < lateDays)
      return `${at}.afterDays is ${afterDays}; objects can move to ${storageClass} after ${lateDays} days at the earliest`;
    if (expireAfterDays > 0 && afterDays >= expireAfterDays)
      return `${at}.afterDays is ${afterDays}, but the objects expire after ${expireAfterDays} days`;
  }
  return undefined;
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
