import { isList, isMap, type ValueMap } from "../../values/value.ts";
import { mapOf, textOf } from "../../values/read-value.ts";

/** A resource's properties, keyed by the names that filters use. */
export type FilterFacts = Readonly<Record<string, readonly string[]>>;

/** Returns whether a resource matches all `filter` blocks. A filter on an unknown property matches nothing. */
export function matchesFilters(config: ValueMap, facts: FilterFacts): boolean {
  const filters = config["filter"];
  return (isList(filters) ? filters : []).every((filter) => {
    const { name, values } = mapOf(filter);
    const wanted = (isList(values) ? values : []).map(textOf);
    const known = Object.hasOwn(facts, textOf(name)) ? facts[textOf(name)] : undefined;
    return (known ?? []).some((fact) => wanted.some((pattern) => isLike(fact, pattern)));
  });
}

/** Returns whether a resource has all the requested tags. */
export function matchesTags(config: ValueMap, tags: ValueMap): boolean {
  const wanted = config["tags"];
  return !isMap(wanted) || Object.entries(wanted).every(([key, value]) => tags[key] === value);
}

/** Returns the properties that let filters match tags: `tag:<key>` and `tag-key`. */
export function listTagFacts(tags: ValueMap): FilterFacts {
  const named = Object.entries(tags).map(([key, value]): [string, readonly string[]] => [`tag:${key}`, [textOf(value)]]);
  return { ...Object.fromEntries(named), "tag-key": Object.keys(tags) };
}

// AWS supports the wildcards * and ? in filter values.
function isLike(fact: string, pattern: string): boolean {
  const escaped = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${escaped}$`).test(fact);
}
