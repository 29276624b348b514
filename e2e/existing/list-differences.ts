/** Lists the paths at which two JSON values differ, with both values: `cluster.version: "1.33" -> "1.34"`. */
export function listDifferences(before: unknown, after: unknown, path = ""): string[] {
  if (isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].toSorted().flatMap((name) => {
      const [one, other] = [before, after].map((value) => (value as Readonly<Record<string, unknown>>)[name]);
      return listDifferences(one, other, path === "" ? name : `${path}.${name}`);
    });
  }
  const [one, other] = [JSON.stringify(before), JSON.stringify(after)];
  return one === other ? [] : [`${path}: ${one ?? "absent"} -> ${other ?? "absent"}`];
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
