import type { JsonObject } from "@cloudwright/contract";
import { textAt } from "../entities/json-tree.ts";
import { mostSegments, splitPath } from "./split-path.ts";

/** Limit on the number of attributes that are stored and compared for one resource. */
export const mostAttributes = 500;

/** One attribute, or a parent that stands for several attributes inside it. */
interface Entry {
  readonly segments: readonly string[];
  /** Position of the first of these attributes in the list. */
  readonly position: number;
  readonly all: readonly JsonObject[];
}

/**
 * Limits the number of changed attributes of one resource. Beyond the limit, the attributes of the largest lists, maps and blocks are
 * replaced by one entry for their parent, starting with the deepest. Returns undefined if the resource has too many top-level attributes.
 */
export function collapseAttributes(attributes: readonly JsonObject[]): readonly JsonObject[] | undefined {
  if (attributes.length <= mostAttributes) return attributes;
  const levels = Array.from({ length: mostSegments + 1 }, () => new Map<string, Entry>());
  let count = 0;
  const put = (segments: readonly string[], position: number, all: readonly JsonObject[]): void => {
    const level = levels[segments.length] ?? new Map<string, Entry>();
    const path = segments.join("");
    const same = level.get(path);
    if (same === undefined) count += 1;
    const merged = { segments, position: Math.min(position, same?.position ?? position), all: [...(same?.all ?? []), ...all] };
    level.set(path, merged);
  };
  const groups = Map.groupBy(attributes.entries(), ([, attribute]) => textAt(attribute, "path"));
  for (const [path, group] of groups)
    put(
      splitPath(path),
      group[0]?.[0] ?? 0,
      group.map(([, attribute]) => attribute),
    );
  for (const level of levels.slice(2).toReversed()) {
    const inner = [...Map.groupBy(level.entries(), ([, { segments }]) => segments.slice(0, -1).join("")).values()];
    for (const group of inner.toSorted((a, b) => b.length - a.length)) {
      if (count <= mostAttributes) break;
      for (const [path] of group) level.delete(path);
      count -= group.length;
      const entries = group.map(([, entry]) => entry);
      const parent = entries[0]?.segments.slice(0, -1) ?? [];
      put(
        parent,
        entries[0]?.position ?? 0,
        entries.flatMap(({ all }) => all),
      );
    }
  }
  if (count > mostAttributes) return undefined;
  return levels
    .flatMap((level) => [...level.values()])
    .toSorted((a, b) => a.position - b.position)
    .map(renderEntry);
}

function renderEntry({ segments, all }: Entry): JsonObject {
  const [only, ...more] = all;
  if (only !== undefined && more.length === 0) return only;
  const has = (name: string): boolean => all.some((attribute) => attribute[name] === true);
  return {
    path: segments.join(""),
    sensitive: has("sensitive"),
    unknown: has("unknown"),
    computed: all.every(({ computed }) => computed === true),
    members: all.reduce((sum, { members }) => sum + (typeof members === "number" && members > 0 ? members : 1), 0),
  };
}
