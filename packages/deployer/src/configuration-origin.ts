import { findText } from "@cloudwright/platform";
import { compareVersions } from "@cloudwright/terraform";
import type { JsonObject } from "./task.ts";

/**
 * Returns the configuration version that an entity was created with. `outputs` comes from its last apply and is empty for a new entity,
 * which gets `version`. Defaults that a later version changed apply to entities that were created with that version, so an upgrade
 * preserves the behaviour of an entity.
 */
export function findOrigin(outputs: JsonObject, version: string): string {
  return findText(outputs["infra_origin"]) ?? findText(outputs["infra_version"]) ?? version;
}

/** Returns whether a configuration version such as `v1.1.0` is the same as another one or later. */
export function isAtLeast(version: string, other: string): boolean {
  return compareVersions(version.slice(1), other.slice(1)) >= 0;
}
