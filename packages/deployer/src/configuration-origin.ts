import { findText } from "@cloudwright/platform";
import { compareVersions } from "@cloudwright/terraform";
import type { JsonObject } from "./task.ts";

/**
 * Returns the configuration version that an entity was created with. `outputs` comes from its last apply and is empty for a new entity,
 * which gets `version`. If a version changes a default, the new default applies only to entities created with that version or a later one.
 * An upgrade therefore preserves an entity's behaviour.
 */
export function findOrigin(outputs: JsonObject, version: string): string {
  return findText(outputs["infra_origin"]) ?? findText(outputs["infra_version"]) ?? version;
}

/** Returns whether a configuration version such as `v1.1.0` is equal to or later than another one. */
export function isAtLeast(version: string, other: string): boolean {
  return compareVersions(version.slice(1), other.slice(1)) >= 0;
}
