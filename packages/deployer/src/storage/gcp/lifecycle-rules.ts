import type { LifecycleRule } from "@cloudwright/contract/gen/cloudwright/v1/storage_pb.ts";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity, JsonObject } from "../../task.ts";

const classes = ["NEARLINE", "COLDLINE", "ARCHIVE"];

/**
 * Maximum number of actions in a bucket's lifecycle rules. Each action becomes a rule in Cloud Storage, which limits the rules per bucket,
 * and the configuration adds some rules itself.
 */
const maxActions = 96;

/** Renders a bucket's lifecycle rules. Throws for rules that Cloud Storage would reject. */
export function renderLifecycleRules({ name }: DeployedEntity<"Storage">, rules: readonly LifecycleRule[]): JsonObject[] {
  const ids = rules.map(({ id }) => id);
  const twin = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  const actions = rules.reduce((sum, rule) => sum + countActions(rule), 0);
  const wrong =
    twin > 0
      ? `[${twin}].id is already in use: ${ids[twin] ?? ""}`
      : actions > maxActions
        ? ` have ${actions} actions in total; Cloud Storage allows ${maxActions}`
        : rules.map(findWrong).find((each) => each !== undefined);
  if (wrong !== undefined) throw new Fault(deployerFaults.bad_spec, `spec.bucket.lifecycleRules${wrong} (${name})`);
  return rules.map(renderRule);
}

function countActions({ expireAfterDays, expireNoncurrentAfterDays, abortUploadsAfterDays, transitions }: LifecycleRule): number {
  return (
    [expireAfterDays, expireNoncurrentAfterDays, abortUploadsAfterDays].filter((days) => days > 0).length + transitions.length
  );
}

function findWrong({ transitions, expireAfterDays }: LifecycleRule, index: number): string | undefined {
  for (const [place, { afterDays, storageClass }] of transitions.entries()) {
    const at = `[${index}].transitions[${place}]`;
    if (!classes.includes(storageClass)) return `${at}.storageClass is ${storageClass}; use one of ${classes.join(", ")}`;
    if (transitions.findIndex((other) => other.storageClass === storageClass) !== place)
      return `${at}.storageClass is used twice: ${storageClass}`;
    if (afterDays < 1) return `${at}.afterDays is ${afterDays}; objects can move after one day at the earliest`;
    if (expireAfterDays > 0 && afterDays >= expireAfterDays)
      return `${at}.afterDays is ${afterDays}, but the objects expire after ${expireAfterDays} days`;
  }
  return undefined;
}

function renderRule(rule: LifecycleRule): JsonObject {
  return {
    prefix: rule.prefix,
    expire_after_days: rule.expireAfterDays,
    expire_noncurrent_after_days: rule.expireNoncurrentAfterDays,
    abort_uploads_after_days: rule.abortUploadsAfterDays,
    transitions: rule.transitions.map(({ afterDays, storageClass }) => ({ after_days: afterDays, storage_class: storageClass })),
  };
}
