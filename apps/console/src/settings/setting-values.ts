import { getPath, isTree, mergeTrees, removePath, setPath, type Tree } from "../data/spec-paths.ts";
import type { Setting, SettingGroup, SettingValues } from "./setting.ts";

/** Returns whether the input control of a setting can display a value. */
export function acceptsValue(setting: Setting, value: unknown): boolean {
  switch (setting.input) {
    case "text":
      return typeof value === "string";
    case "number":
      return Number.isInteger(value);
    case "switch":
      return typeof value === "boolean";
    case "section":
      return isTree(value);
    case "choice":
      return value === "" || setting.options.some(([each]) => each === value);
    case "choices":
      return isTexts(value) && value.every((each) => setting.options.includes(each));
    case "list":
      return isTexts(value);
    case "map":
      return isTree(value) && Object.values(value).every((each) => typeof each === "string");
    case "taints":
      return Array.isArray(value) && value.every(isTaint);
  }
}

/** Returns a copy of the values with one setting changed. Omits the setting if the new value is its default. */
export function withValue(values: SettingValues, setting: Setting, value: unknown): SettingValues {
  const { path } = setting;
  // Turning off a section also removes the settings in it. The keys are dotted paths, so these settings share the section's path as a
  // prefix.
  const others = Object.fromEntries(
    Object.entries(values).filter(([each]) => each !== path && (!isOff(setting, value) || !each.startsWith(`${path}.`))),
  );
  return isUsual(setting, value) ? others : { ...others, [path]: value };
}

/** Returns whether a setting applies, given the values of the other settings. */
export function applies({ needs }: Setting, values: SettingValues): boolean {
  return needs === undefined || (values[needs] !== undefined && values[needs] !== false);
}

/** Removes the values of settings that no longer apply after a change. `changed` is the path of the changed setting. */
export function dropInapplicable(values: SettingValues, groups: readonly SettingGroup[], changed: string): SettingValues {
  const idle = groups.flatMap(({ settings }) =>
    settings.filter((setting) => setting.needs === changed && !applies(setting, values)),
  );
  return Object.fromEntries(Object.entries(values).filter(([path]) => !idle.some((setting) => setting.path === path)));
}

/** Returns only the values of settings in the given groups. */
export function pickValues(values: SettingValues, groups: readonly SettingGroup[]): SettingValues {
  const paths = new Set(listPaths(groups));
  return Object.fromEntries(Object.entries(values).filter(([path]) => paths.has(path)));
}

/** Reads settings from a spec. `rest` is the part of the spec that these settings do not cover. */
export function takeSettings(
  spec: Tree,
  groups: readonly SettingGroup[],
): { readonly values: SettingValues; readonly rest: Tree } {
  let rest = spec;
  const values: Record<string, unknown> = {};
  // Sections are read last. Fields of a section that no other setting has read stay in the rest.
  const settings = groups.flatMap((group) => group.settings).toSorted((a, b) => rankOf(a) - rankOf(b));
  for (const setting of settings) {
    const value = getPath(rest, setting.path);
    if (value === undefined || !acceptsValue(setting, value)) continue;
    values[setting.path] = setting.input === "section" ? {} : value;
    if (setting.input !== "section" || (isTree(value) && Object.keys(value).length === 0)) rest = removePath(rest, setting.path);
  }
  return { values, rest };
}

/** Returns a copy of the spec with the given settings merged into it. */
export function addSettings(spec: Tree, values: SettingValues): Tree {
  return Object.entries(values).reduce<Tree>((built, [path, value]) => mergeTrees(built, setPath({}, path, value)), spec);
}

export function listPaths(groups: readonly SettingGroup[]): string[] {
  return groups.flatMap(({ settings }) => settings.map(({ path }) => path));
}

/** Returns the label of each setting, keyed by its path in the entity. */
export function labelSettings(groups: readonly SettingGroup[]): Record<string, string> {
  return Object.fromEntries(groups.flatMap(({ settings }) => settings.map(({ path, label }) => [`spec.${path}`, label])));
}

/** Returns whether a value equals the default that the platform uses if the setting is absent. */
export function isUsual(setting: Setting, value: unknown): boolean {
  if (setting.input === "switch") return value === (setting.isOn ?? false);
  if (setting.input === "section" || setting.input === "number") return value === undefined;
  if (isTree(value)) return Object.keys(value).length === 0;
  return value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}

function isOff({ input }: Setting, value: unknown): boolean {
  return input === "section" && value === undefined;
}

function rankOf({ input }: Setting): number {
  return input === "section" ? 1 : 0;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isTaint(value: unknown): boolean {
  const known = ["key", "value", "effect"];
  return isTree(value) && Object.entries(value).every(([name, text]) => known.includes(name) && typeof text === "string");
}
