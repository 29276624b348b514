const limits = { depth: 40, values: 10_000, characters: 256 * 1024 } as const;

/** Returns why a value is too large to check or cannot be represented in JSON. Returns undefined if it is acceptable. */
export function findOversize(value: unknown): string | undefined {
  let values = 0;
  let characters = 0;
  const visit = (each: unknown, depth: number): string | undefined => {
    values += 1;
    if (values > limits.values) return `it has more than ${limits.values} values`;
    if (depth > limits.depth) return `it is nested more than ${limits.depth} levels deep`;
    if (typeof each === "string") characters += each.length;
    if (characters > limits.characters) return `it has more than ${limits.characters} characters`;
    if (each === null || typeof each === "string" || typeof each === "boolean") return undefined;
    if (typeof each === "number") return Number.isFinite(each) ? undefined : "it contains a number that JSON cannot represent";
    if (typeof each !== "object") return "it contains a value that JSON cannot represent";
    for (const [key, inner] of Object.entries(each)) {
      characters += key.length;
      const why = visit(inner, depth + 1);
      if (why !== undefined) return why;
    }
    return undefined;
  };
  return visit(value, 0);
}
