type Fields = Readonly<Record<string, unknown>>;

/** Merges a caller's native fields into a request body. At every level, the library's own fields take precedence. */
export function mergeNative(native: Fields | undefined, own: Fields): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...native };
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined) continue;
    const given = Object.hasOwn(merged, name) ? merged[name] : undefined;
    merged[name] = isFields(given) && isFields(value) ? mergeNative(given, value) : value;
  }
  return merged;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
