import { isObject } from "@cloudwright/platform";
/** Renders canonical JSON: sorted keys, no whitespace, no undefined fields. Equal values produce equal strings. */
export function renderCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (isObject(part) ? sortKeys(part) : part));
}

function sortKeys(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const sorted = Object.keys(record).toSorted();
  // The result has no prototype, so that `__proto__` is an ordinary key.
  return sorted.reduce<Record<string, unknown>>(
    (result, key) => {
      result[key] = record[key];
      return result;
    },
    Object.create(null) as Record<string, unknown>,
  );
}
