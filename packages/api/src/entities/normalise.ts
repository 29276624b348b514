import { cloudOf, type JsonObject, type Kind } from "@cloudwright/contract";
import type { FieldViolation } from "@cloudwright/platform";
import type { NamedSpec } from "../kinds/kind-rules.ts";
import { rulesOf } from "../kinds/rules.ts";
import { emptyPart } from "./entity-json.ts";

/**
 * Fills in defaults and converts values to canonical form, so that equal requests produce equal text. Defaults that were chosen when the
 * entity was created are kept.
 */
export function normaliseSpec(
  { kind, cloud: cloudRule }: Kind,
  spec: JsonObject,
  owner: JsonObject | undefined,
  current: JsonObject = {},
): JsonObject {
  const next = rulesOf(kind).normalise?.(spec, current, owner) ?? spec;
  const cloud = cloudRule === "inherited" && cloudOf(next) === undefined ? cloudOf(owner ?? {}) : undefined;
  return cloud === undefined ? next : { ...next, [cloud]: emptyPart(kind, cloud) };
}

/** Checks rules that involve both an entity and its owner. The contract's own rules cover single messages only. */
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
