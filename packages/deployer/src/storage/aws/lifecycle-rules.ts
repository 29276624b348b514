import { Fault } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import { numberOf, objectOf, textOf } from "../../read-spec.ts";
import type { DeployedEntity, JsonObject } from "../../task.ts";

const classes = ["STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER_IR", "GLACIER", "DEEP_ARCHIVE"];
// S3 moves nothing earlier to these.
const lateClasses = new Set(["STANDARD_IA", "ONEZONE_IA"]);
const lateDays = 30;

/** The rules of a bucket's life cycle; what S3 would refuse once the bucket is there is refused before. */
export function renderLifecycleRules({ name }: DeployedEntity, bucket: JsonObject): JsonObject[] {
  const rules = Array.isArray(bucket["lifecycleRules"]) ? bucket["lifecycleRules"].map((each) => objectOf(each)) : [];
  // The first is that of expireAfterDays.
  const ids = ["expire", ...rules.map((rule) => textOf(rule["id"]))];
  const twin = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  const wrong =
    twin > 0 ? `[${twin - 1}].id is taken: ${ids[twin] ?? ""}` : rules.map(findWrong).find((each) => each !== undefined);
  if (wrong !== undefined) throw new Fault(deployerFaults.bad_spec, `spec.bucket.lifecycleRules${wrong} (${name})`);
  return rules.map(renderRule);
}

function listMoves(rule: JsonObject): { readonly days: number; readonly to: string }[] {
  const moves = Array.isArray(rule["transitions"]) ? rule["transitions"].map((each) => objectOf(each)) : [];
  return moves.map((move) => ({ days: numberOf(move["afterDays"]), to: textOf(move["storageClass"]) }));
}

function findWrong(rule: JsonObject, index: number): string | undefined {
  const moves = listMoves(rule);
  const expires = numberOf(rule["expireAfterDays"]);
  for (const [place, { days, to }] of moves.entries()) {
    const at = `[${index}].transitions[${place}]`;
    if (!classes.includes(to)) return `${at}.storageClass is ${to}, not one of ${classes.join(", ")}`;
    if (moves.findIndex((other) => other.to === to) !== place) return `${at}.storageClass is there twice: ${to}`;
    if (lateClasses.has(to) && days < lateDays)
      return `${at}.afterDays is ${days}; objects move to ${to} after ${lateDays} at the earliest`;
    if (expires > 0 && days >= expires) return `${at}.afterDays is ${days}; the objects are gone after ${expires}`;
  }
  return undefined;
}

function renderRule(rule: JsonObject): JsonObject {
  return {
    id: textOf(rule["id"]),
    prefix: textOf(rule["prefix"]),
    expire_after_days: numberOf(rule["expireAfterDays"]),
    expire_noncurrent_after_days: numberOf(rule["expireNoncurrentAfterDays"]),
    abort_uploads_after_days: numberOf(rule["abortUploadsAfterDays"]),
    transitions: listMoves(rule).map(({ days, to }) => ({ after_days: days, storage_class: to })),
  };
}
