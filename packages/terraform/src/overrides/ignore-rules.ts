import { isObject, type ReadonlyJson, type ReadonlyJsonObject } from "@cloudwright/platform";
import type { AttributePath, ChangedPath } from "../reading/changed-paths.ts";
import type { ResourceChange } from "../reading/plan.ts";
import { parseAttributePath } from "./attribute-path.ts";

/** An attribute whose changes are ignored, because its drift was accepted or something else manages it. */
export interface IgnoreRule {
  /** Address `type.name` in the root module. `*` matches any characters. */
  readonly address: string;
  /** Attribute path, such as `tags["x"]` or `scaling_config[0].desired_size`. */
  readonly path: string;
}

/** A resource in a configuration. */
export interface ConfiguredResource {
  readonly type: string;
  readonly name: string;
  /** Changes that the configuration itself ignores, or `all`. */
  readonly ignoreChanges?: readonly string[] | "all";
}

/**
 * Renders an override that makes Terraform ignore changes to the given attributes. An override's list replaces the configuration's own
 * list, so the rendered list combines the two. Rules apply to all instances of a resource, because Terraform cannot ignore changes to a
 * single instance.
 */
export function renderIgnoreRules(rules: readonly IgnoreRule[], resources: readonly ConfiguredResource[]): ReadonlyJsonObject {
  const byType: Record<string, Record<string, ReadonlyJson>> = {};
  for (const { type, name, ignoreChanges = [] } of resources) {
    const paths = rules.filter(({ address }) => matches(address, { type, name })).map(({ path }) => path);
    for (const path of paths) parseAttributePath(path);
    if (paths.length === 0 || ignoreChanges === "all") continue;
    byType[type] = { ...byType[type], [name]: { lifecycle: { ignore_changes: [...new Set([...ignoreChanges, ...paths])] } } };
  }
  return Object.keys(byType).length === 0 ? {} : { resource: byType };
}

export type IgnorableChange = Pick<ResourceChange, "resourceType" | "name" | "module" | "action" | "changedPaths">;

/**
 * Returns changes without ignored attributes. Needed for `resource_drift`, which includes changes that the configuration ignores. The
 * creation or deletion of a whole resource is kept.
 */
export function dropIgnoredChanges<Change extends IgnorableChange>(
  changes: readonly Change[],
  rules: readonly IgnoreRule[],
): readonly Change[] {
  return changes.flatMap((change) => {
    const { resourceType, name, module, action, changedPaths } = change;
    const ignored = rules
      .filter(({ address }) => module === undefined && matches(address, { type: resourceType, name }))
      .map(({ path }) => parseAttributePath(path));
    if (ignored.length === 0 || action !== "update") return [change];
    const left = changedPaths.filter((changed) => !isIgnored(changed, ignored));
    return left.length === 0 ? [] : [{ ...change, changedPaths: left }];
  });
}

function matches(pattern: string, { type, name }: Pick<ConfiguredResource, "type" | "name">): boolean {
  const [typePattern, namePattern, ...rest] = pattern.split(".");
  if (typePattern === undefined || namePattern === undefined || rest.length > 0) return false;
  return matchesGlob(typePattern, type) && matchesGlob(namePattern, name);
}

// Matches each piece at its first occurrence. This is sufficient for `*` and takes linear time.
function matchesGlob(pattern: string, text: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of others) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

function isIgnored({ path, before, after, isSensitive, isUnknown }: ChangedPath, rules: readonly AttributePath[]): boolean {
  if (rules.some((rule) => startsWith(path, rule))) return true;
  // If a map was empty before, all of its new keys are reported as a single change. The change is ignored only if the map is unchanged
  // apart from the ignored keys.
  const deeper = rules.filter((rule) => startsWith(rule, path)).map((rule) => rule.slice(path.length));
  if (deeper.length === 0 || isSensitive || isUnknown) return false;
  const rest = (value: ReadonlyJson): ReadonlyJson => deeper.reduce(without, value ?? {});
  return JSON.stringify(rest(before)) === JSON.stringify(rest(after));
}

function startsWith(path: AttributePath, beginning: AttributePath): boolean {
  return beginning.length <= path.length && beginning.every((step, index) => step === path[index]);
}

function without(value: ReadonlyJson, [step, ...rest]: AttributePath): ReadonlyJson {
  if (!isObject(value) || typeof step !== "string") return value;
  const { [step]: inner, ...others } = value;
  if (rest.length === 0 || inner === undefined) return others;
  return { ...others, [step]: without(inner, rest) };
}
