import type { LifecycleRule } from "@cloudwright/contract/gen/cloudwright/v1/storage_pb.ts";
import type { JsonObject } from "../../task.ts";

/** Renders a bucket's lifecycle rules. */
export function renderLifecycleRules(rules: readonly LifecycleRule[]): JsonObject[] {
  return rules.map(renderRule);
}

function renderRule(rule: LifecycleRule): JsonObject {
  return {
    id: rule.id,
    prefix: rule.prefix,
    expire_after_days: rule.expireAfterDays,
    expire_noncurrent_after_days: rule.expireNoncurrentAfterDays,
    transitions: rule.transitions.map(({ afterDays, storageClass }) => ({ after_days: afterDays, storage_class: storageClass })),
  };
}
