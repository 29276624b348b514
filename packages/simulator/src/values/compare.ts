import { isList, isMap, unknown, type Value, type ValueType } from "./value.ts";

/** Returns whether two values of the same type are equal. The order of elements in sets does not matter. */
export function isSame(type: ValueType, a: Value, b: Value): boolean {
  return a === b || describe(type, a) === describe(type, b);
}

// Renders equal values as equal strings. Set elements and keys are sorted, and unknown values become a word that is not valid JSON.
function describe(type: ValueType, value: Value): string {
  if (value === unknown) return "unknown";
  if (value === null || typeof type === "string") return JSON.stringify(sortKeys(value));
  switch (type[0]) {
    case "list":
    case "set": {
      const elements = (isList(value) ? value : []).map((element) => describe(type[1], element));
      return `[${(type[0] === "set" ? elements.toSorted() : elements).join()}]`;
    }
    case "tuple":
      return `[${(isList(value) ? value : []).map((element, index) => describe(type[1][index] ?? "dynamic", element)).join()}]`;
    case "map":
      return describeEntries(value, () => type[1]);
    case "object":
      return describeEntries(value, (name) => type[1][name] ?? "dynamic");
  }
}

function describeEntries(value: Value, typeOf: (name: string) => ValueType): string {
  const entries = Object.entries(isMap(value) ? value : {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${describe(typeOf(name), inner)}`).join()}}`;
}

function sortKeys(value: Value): unknown {
  if (value === unknown) return { unknown: true };
  if (isList(value)) return value.map(sortKeys);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sortKeys(value[key] as Value)]),
  );
}
