import { Fault, type ReadonlyJson, type ReadonlyJsonObject } from "@cloudwright/platform";
import { terraformFaults } from "../faults.ts";
import type { ConfiguredResource } from "./ignore-rules.ts";
import { readJsonResources } from "./read-resources.ts";

// File names contain a two-digit number, because Terraform reads override files in name order.
const mostOverrides = 99;

/**
 * Renders a working directory's override files in the order in which Terraform reads them. A later `ignore_changes` list replaces earlier
 * ones, so the last file combines the lists of the configuration and of all overrides.
 */
export function renderOverrides(
  overrides: readonly ReadonlyJsonObject[],
  resources: readonly ConfiguredResource[],
): Readonly<Record<string, string>> {
  const together = joinIgnored(overrides.flatMap(readJsonResources), resources);
  if (overrides.length > mostOverrides)
    throw new Fault(terraformFaults.bad_option, `there are more than ${mostOverrides} overrides`);
  const all = Object.keys(together).length === 0 ? overrides : [...overrides, { resource: together }];
  return Object.fromEntries(all.map((override, index) => [nameOf(index), `${JSON.stringify(override, undefined, 2)}\n`]));
}

/** Returns whether the driver wrote this file as an override. */
export function isOverrideFile(name: string): boolean {
  return /^cloudwright_\d\d_override\.tf\.json$/.test(name);
}

function nameOf(index: number): string {
  return `cloudwright_${String(index).padStart(2, "0")}_override.tf.json`;
}

function joinIgnored(
  overridden: readonly ConfiguredResource[],
  own: readonly ConfiguredResource[],
): Record<string, ReadonlyJsonObject> {
  const byType: Record<string, Record<string, ReadonlyJson>> = {};
  const ignoring = overridden.filter(({ ignoreChanges }) => ignoreChanges !== undefined);
  for (const { type, name } of ignoring) {
    const lists = [...own, ...ignoring]
      .filter((each) => each.type === type && each.name === name)
      .map((each) => each.ignoreChanges ?? []);
    const ignored = lists.includes("all") ? "all" : [...new Set(lists.flat())];
    byType[type] = { ...byType[type], [name]: { lifecycle: { ignore_changes: ignored } } };
  }
  return byType;
}
