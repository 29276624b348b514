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

/**
 * Returns whether a string matches a pattern with the wildcards * and ?. Takes at most as many steps as the product of both lengths.
 * Callers of the API choose the pattern, so a regular expression with exponential running time is not an option.
 */
export function isLike(text: string, pattern: string): boolean {
  let [at, inPattern] = [0, 0];
  let star = -1;
  let resumeAt = 0;
  while (at < text.length) {
    if (pattern[inPattern] === "*") {
      star = inPattern++;
      resumeAt = at;
    } else if (inPattern < pattern.length && (pattern[inPattern] === "?" || pattern[inPattern] === text[at])) {
      at++;
      inPattern++;
    } else if (star >= 0) {
      inPattern = star + 1;
      at = ++resumeAt;
    } else return false;
  }
  while (pattern[inPattern] === "*") inPattern++;
  return inPattern === pattern.length;
}
