/** Limits for rules and subjects. A pure function cannot use a timeout, so its cost is bounded by sizes and steps. */
export const policyLimits = {
  /** Characters in one rule file. */
  fileChars: 256 * 1024,
  /** Rules across all files. */
  rules: 1000,
  /** Characters in one expression. */
  expressionChars: 2000,
  /** Nodes in the syntax tree of one expression, after macros are expanded. */
  expressionNodes: 500,
  /** Nesting depth of an expression, which is also the recursion depth of its evaluation. */
  expressionDepth: 64,
  /** Nesting depth of comprehensions (all, exists, map, filter). */
  loopDepth: 3,
  /** Characters in a pattern for `matches` or `glob`. */
  patternChars: 200,
  /** Characters in a string that is matched against a pattern. */
  searchedChars: 64 * 1024,
  /** Characters in a rule's message, path or description. */
  textChars: 1000,
  /** Values (objects, lists, scalars) in a subject. */
  subjectValues: 500_000,
  /** Total characters in all strings and keys of a subject. */
  subjectChars: 16 * 1024 * 1024,
  /** Nesting depth of a subject. */
  subjectDepth: 64,
  /**
   * Steps that one rule may use per subject. Each visited element, each compared value and every 16 characters of text count as one step.
   */
  ruleSteps: 1_000_000,
  /** Findings per rule that are listed individually. One additional finding states how many others there are. */
  findingsPerRule: 100,
  /** Characters that one placeholder can add to a message. */
  placeholderChars: 200,
} as const;
