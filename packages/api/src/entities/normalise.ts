import { cloudOf, type JsonObject, type Kind } from "@cloudwright/contract";
import type { FieldViolation } from "@cloudwright/platform";
import type { NamedSpec } from "../kinds/kind-rules.ts";
import { rulesOf } from "../kinds/rules.ts";
import { emptyPart } from "./entity-json.ts";

/**
 * Returns a spec with the platform's defaults filled in and one spelling for each value, so that equal requests are equal text. Values that
 * were chosen for the entity before stay.
 */
export function normaliseSpec(
  { kind, cloud: cloudRule }: Kind,
  spec: JsonObject,
  owner: JsonObject | undefined,
  current: JsonObject = {},
): JsonObject {
  const next = rulesOf(kind).normalise?.(spec, current) ?? spec;
  const cloud = cloudRule === "inherited" && cloudOf(next) === undefined ? cloudOf(owner ?? {}) : undefined;
  return cloud === undefined ? next : { ...next, [cloud]: emptyPart(kind, cloud) };
}

/** Checks the rules between an entity and its owner that no single message can state. */
export function checkAgainstOwner({ kind, cloud: cloudRule }: Kind, spec: JsonObject, owner: NamedSpec): FieldViolation[] {
  const violations: FieldViolation[] = [];
  const cloud = cloudOf(spec);
  const ownerCloud = cloudOf(owner.spec);
  if (cloudRule === "inherited" && cloud !== undefined && ownerCloud !== undefined && cloud !== ownerCloud) {
    violations.push({
      field: `spec.${cloud}`,
      message: `does not match ${owner.kind} "${owner.name}", which is on ${ownerCloud}`,
    });
  }
  return [...violations, ...(rulesOf(kind).checkAgainstOwner?.(spec, owner) ?? [])];
}
