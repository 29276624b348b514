import { getPath, type Tree } from "../data/spec-paths.ts";
import type { Setting, SettingGroup } from "./setting.ts";
import { acceptsValue, isUsual } from "./setting-values.ts";
import { renderPairs, renderTaints } from "./text-forms.ts";

/** Describes the settings of an entity that differ from their defaults, using the labels of the create form. */
export function listSettingFacts(spec: Tree, groups: readonly SettingGroup[]): (readonly [label: string, value: string])[] {
  return groups
    .flatMap(({ settings }) => settings)
    .flatMap((setting) => {
      const value = getPath(spec, setting.path);
      // The server returns 0 for unset numbers.
      const isUnset = value === undefined || value === 0 || isUsual(setting, value);
      return isUnset || !acceptsValue(setting, value) ? [] : [[setting.label, describeValue(setting, value)] as const];
    });
}

function describeValue(setting: Setting, value: unknown): string {
  switch (setting.input) {
    case "switch":
      return value === true ? "on" : "off";
    case "section":
      return "on";
    case "choice":
      return setting.options.find(([each]) => each === value)?.[1] ?? String(value);
    case "map":
      return renderPairs(value).join(", ");
    case "taints":
      return renderTaints(value).join(", ");
    default:
      return Array.isArray(value) ? value.join(", ") : String(value);
  }
}
