import { isObject, type ReadonlyJson } from "@cloudwright/platform";
import { masked } from "./sensitive.ts";

/** Path to an attribute in a resource: names and list indexes. */
export type AttributePath = readonly (string | number)[];

/** An attribute that differs between two versions of a resource. */
export interface ChangedPath {
  readonly path: AttributePath;
  /** Value before the change. Masked if it is sensitive. */
  readonly before: ReadonlyJson;
  readonly after: ReadonlyJson;
  readonly isSensitive: boolean;
  /** True if the new value is not known until the plan is applied. */
  readonly isUnknown: boolean;
  /** True if the provider computes the unknown value, because the configuration does not set the attribute. */
  readonly isComputed?: boolean;
}

interface Sides {
  readonly before: ReadonlyJson | undefined;
  readonly after: ReadonlyJson | undefined;
  readonly unknown: ReadonlyJson | undefined;
  readonly beforeMarks: ReadonlyJson | undefined;
  readonly afterMarks: ReadonlyJson | undefined;
}

/** Returns the attributes that differ between two versions of a resource. Descends as long as both sides have the same shape. */
export function listChangedPaths(sides: Sides, path: AttributePath = []): ChangedPath[] {
  const { before = null, after = null, unknown, beforeMarks, afterMarks } = sides;
  const isSensitive = beforeMarks === true || afterMarks === true;
  const isUnknown = unknown === true;
  const show = (value: ReadonlyJson): ReadonlyJson => (isSensitive && value !== null ? masked : value);
  if (isUnknown || isSensitive || !isSameShape(before, after)) {
    if (!isUnknown && isEqual(before, after)) return [];
    // If the shapes differ, nested values may be sensitive.
    const shown = (value: ReadonlyJson, marks: ReadonlyJson | undefined): ReadonlyJson =>
      hasMarks(marks) && value !== null ? masked : show(value);
    const isHidden = isSensitive || hasMarks(beforeMarks) || hasMarks(afterMarks);
    return [{ path, before: shown(before, beforeMarks), after: shown(after, afterMarks), isSensitive: isHidden, isUnknown }];
  }
  if (!isContainer(before)) return isEqual(before, after) ? [] : [{ path, before, after, isSensitive, isUnknown }];
  const keys = new Set([...keysOf(before), ...keysOf(after), ...keysOf(unknown)]);
  return [...keys].flatMap((key) =>
    listChangedPaths(
      {
        before: pick(before, key),
        after: pick(after, key),
        unknown: pick(unknown, key),
        beforeMarks: pick(beforeMarks, key),
        afterMarks: pick(afterMarks, key),
      },
      [...path, key],
    ),
  );
}

/**
 * Marks unknown values that the provider computes. `configured` contains the attributes that the configuration sets. Plans do not list dynamic
 * blocks, so only a missing attribute with a simple value counts as computed.
 */
export function markComputed(paths: readonly ChangedPath[], configured: ReadonlySet<string>): ChangedPath[] {
  return paths.map((changed) => {
    const [name, ...rest] = changed.path;
    const isSimple = typeof name === "string" && rest.length === 0 && !isContainer(changed.before);
    return changed.isUnknown && isSimple && !configured.has(name) ? { ...changed, isComputed: true } : changed;
  });
}

/** Returns whether two JSON values are equal, regardless of key order. */
function isEqual(a: ReadonlyJson, b: ReadonlyJson): boolean {
  if (!isContainer(a) || !isContainer(b) || !isSameShape(a, b)) return a === b;
  const keys = new Set([...keysOf(a), ...keysOf(b)]);
  return [...keys].every((key) => isEqual(pick(a, key) ?? null, pick(b, key) ?? null));
}

function isContainer(value: ReadonlyJson | undefined): boolean {
  return typeof value === "object" && value !== null;
}

function isSameShape(a: ReadonlyJson, b: ReadonlyJson): boolean {
  return isContainer(a) === isContainer(b) && Array.isArray(a) === Array.isArray(b);
}

function keysOf(value: ReadonlyJson | undefined): (string | number)[] {
  if (Array.isArray(value)) return [...value.keys()];
  return isObject(value) ? Object.keys(value) : [];
}

function pick(value: ReadonlyJson | undefined, key: string | number): ReadonlyJson | undefined {
  if (Array.isArray(value)) return (value as ReadonlyJson[])[Number(key)];
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function hasMarks(marks: ReadonlyJson | undefined): boolean {
  if (!isContainer(marks)) return marks === true;
  return Object.values(marks as object).some((inner) => hasMarks(inner as ReadonlyJson));
}
