const limits = { depth: 40, values: 10_000, characters: 256 * 1024 } as const;

/** Why a value is too large to be looked at, or is none that JSON can say; undefined when it is fine. */
export function findOversize(value: unknown): string | undefined {
  let values = 0;
  let characters = 0;
  const visit = (each: unknown, depth: number): string | undefined => {
    values += 1;
    if (values > limits.values) return `it has more than ${limits.values} values; split what it does`;
    if (depth > limits.depth) return `it is nested more than ${limits.depth} levels deep`;
    if (typeof each === "string") characters += each.length;
    if (characters > limits.characters) return `it is longer than ${limits.characters} characters`;
    if (each === null || typeof each === "string" || typeof each === "boolean") return undefined;
    if (typeof each === "number") return Number.isFinite(each) ? undefined : "it has a number that JSON cannot say";
    if (typeof each !== "object") return "it has a value that JSON cannot say";
    for (const [key, inner] of Object.entries(each)) {
      characters += key.length;
      const why = visit(inner, depth + 1);
      if (why !== undefined) return why;
    }
    return undefined;
  };
  return visit(value, 0);
}
