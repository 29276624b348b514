/** Applies a JSON merge patch (RFC 7386) to a value and answers the new one. */
export function applyMergePatch(value: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const out: Record<string, unknown> = isObject ? { ...value } : {};
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) delete out[key];
    else out[key] = applyMergePatch(out[key], change);
  }
  return out;
}
