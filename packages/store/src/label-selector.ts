/** One comma-separated term of a label selector. */
export type LabelRequirement =
  | { readonly key: string; readonly operator: "exists" }
  | { readonly key: string; readonly operator: "absent" }
  | { readonly key: string; readonly operator: "in"; readonly values: readonly string[] }
  | { readonly key: string; readonly operator: "notin"; readonly values: readonly string[] };

const requirement =
  /^(?:!\s*(?<absent>[\w./-]+)|(?<key>[\w./-]+)(?:\s*(?<operator>==|=|!=)\s*(?<value>[\w.-]*)|\s+(?<set>in|notin)\s*\((?<values>[\w.,\s-]*)\))?)$/;

/** Parses a selector such as `tier=prod,!legacy,zone in (a,b)`. Returns undefined if the syntax is invalid. */
export function parseLabelSelector(text: string): LabelRequirement[] | undefined {
  if (text.trim() === "") return [];
  const requirements = splitTerms(text).map(parseRequirement);
  return requirements.every((part) => part !== undefined) ? requirements : undefined;
}

/** Splits a selector at the commas outside parentheses. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  let isInside = false;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "(") isInside = true;
    if (text[at] === ")") isInside = false;
    if (text[at] !== "," || isInside) continue;
    terms.push(text.slice(start, at));
    start = at + 1;
  }
  return [...terms, text.slice(start)];
}

function parseRequirement(text: string): LabelRequirement | undefined {
  const groups = requirement.exec(text.trim())?.groups;
  if (groups === undefined) return undefined;
  const { absent, key = "", operator, value = "", set, values = "" } = groups;
  if (absent !== undefined) return { key: absent, operator: "absent" };
  if (set !== undefined) return { key, operator: set as "in" | "notin", values: values.split(",").map((item) => item.trim()) };
  if (operator === undefined) return { key, operator: "exists" };
  return { key, operator: operator === "!=" ? "notin" : "in", values: [value] };
}

/** Renders the requirements as SQL conditions on the `labels` column. An entity without the key satisfies `!=` and `notin`. */
export function selectorConditions(requirements: readonly LabelRequirement[], bind: (value: unknown) => string): string[] {
  return requirements.map((part) => {
    if (part.operator === "exists") return `labels ? ${bind(part.key)}`;
    if (part.operator === "absent") return `not labels ? ${bind(part.key)}`;
    if (part.operator === "in" && part.values.length === 1)
      return `labels @> ${bind(JSON.stringify({ [part.key]: part.values[0] }))}::jsonb`;
    const listed = `coalesce(labels ->> ${bind(part.key)} = any(${bind(part.values)}::text[]), false)`;
    return part.operator === "in" ? listed : `not ${listed}`;
  });
}

/** Returns whether labels satisfy every requirement. Must agree with `selectorConditions`. */
export function matchesSelector(requirements: readonly LabelRequirement[], labels: Readonly<Record<string, string>>): boolean {
  return requirements.every((part) => {
    const value = Object.hasOwn(labels, part.key) ? labels[part.key] : undefined;
    if (part.operator === "exists") return value !== undefined;
    if (part.operator === "absent") return value === undefined;
    const listed = value !== undefined && part.values.includes(value);
    return part.operator === "in" ? listed : !listed;
  });
}
