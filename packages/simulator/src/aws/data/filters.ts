import { isList, isMap, type ValueMap } from "../../values/value.ts";
import { mapOf, textOf } from "../../values/read-value.ts";

/** What a thing is, by the names that filters have. */
export type FilterFacts = Readonly<Record<string, readonly string[]>>;

/** Whether a thing passes all `filter` blocks; a name that it has no fact for passes none. */
export function matchesFilters(config: ValueMap, facts: FilterFacts): boolean {
  const filters = config["filter"];
  return (isList(filters) ? filters : []).every((filter) => {
    const { name, values } = mapOf(filter);
    const wanted = (isList(values) ? values : []).map(textOf);
    const known = Object.hasOwn(facts, textOf(name)) ? facts[textOf(name)] : undefined;
    return (known ?? []).some((fact) => wanted.some((pattern) => isLike(fact, pattern)));
  });
}

/** Whether a thing has all the tags that are asked for. */
export function matchesTags(config: ValueMap, tags: ValueMap): boolean {
  const wanted = config["tags"];
  return !isMap(wanted) || Object.entries(wanted).every(([key, value]) => tags[key] === value);
}

/** The facts of a thing's tags. */
export function listTagFacts(tags: ValueMap): FilterFacts {
  const named = Object.entries(tags).map(([key, value]): [string, readonly string[]] => [`tag:${key}`, [textOf(value)]]);
  return { ...Object.fromEntries(named), "tag-key": Object.keys(tags) };
}

// AWS takes * and ? in values.
function isLike(fact: string, pattern: string): boolean {
  const escaped = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${escaped}$`).test(fact);
}
