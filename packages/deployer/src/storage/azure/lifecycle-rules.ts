import type { LifecycleRule } from "@cloudwright/contract/gen/cloudwright/v1/storage_pb.ts";
import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { DeployedEntity, JsonObject } from "../../task.ts";

const classes = ["Cool", "Cold", "Archive"];
const reservedId = "expire";

/** Renders a bucket's lifecycle rules. Throws for rules that Azure would reject only after the storage account is created. */
export function renderLifecycleRules(
  { name }: DeployedEntity<"Storage">,
  rules: readonly LifecycleRule[],
  redundancy: string,
): JsonObject[] {
  // Rule names in Azure are case-insensitive.
  const ids = [reservedId, ...rules.map(({ id }) => id.toLowerCase())];
  const twin = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  const wrong =
    twin > 0
      ? `[${twin - 1}].id is already in use: ${ids[twin] ?? ""}`
      : rules.map((rule, index) => findWrong(rule, index, redundancy)).find((each) => each !== undefined);
  if (wrong !== undefined) throw new Fault(deployerFaults.bad_spec, `spec.bucket.lifecycleRules${wrong} (${name})`);
  return rules.map(renderRule);
}

function findWrong(
  { transitions, expireAfterDays, abortUploadsAfterDays }: LifecycleRule,
  index: number,
  redundancy: string,
): string | undefined {
  if (abortUploadsAfterDays > 0)
    return `[${index}].abortUploadsAfterDays is not supported: Azure always discards incomplete uploads after 7 days`;
  for (const [place, { afterDays, storageClass }] of transitions.entries()) {
    const at = `[${index}].transitions[${place}]`;
    if (!classes.includes(storageClass)) return `${at}.storageClass is ${storageClass}; use one of ${classes.join(", ")}`;
    if (transitions.findIndex((other) => other.storageClass === storageClass) !== place)
      return `${at}.storageClass is used twice: ${storageClass}`;
    if (storageClass === "Archive" && redundancy.endsWith("zone"))
      return `${at}.storageClass is Archive, which Azure offers only with spec.bucket.azure.redundancy local or geo, not ${redundancy}`;
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
    transitions: rule.transitions.map(({ afterDays, storageClass }) => ({ after_days: afterDays, storage_class: storageClass })),
  };
}
