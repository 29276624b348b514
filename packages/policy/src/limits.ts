/** Limits for rules and subjects. A pure function cannot use a timeout, so its cost is bounded by sizes and steps. */
export const policyLimits = {
  /** Maximum number of characters in one rule file. */
  fileChars: 256 * 1024,
  /** Maximum number of rules across all files. */
  rules: 1000,
  /** Maximum number of characters in one expression. */
  expressionChars: 2000,
  /** Maximum number of nodes in the syntax tree of one expression, after macros are expanded. */
  expressionNodes: 500,
  /** Maximum nesting depth of an expression, which is also the recursion depth of its evaluation. */
  expressionDepth: 64,
  /** Maximum nesting depth of comprehensions (all, exists, map, filter). */
  loopDepth: 3,
  /** Maximum number of characters in a pattern for `matches` or `glob`. */
  patternChars: 200,
  /** Maximum number of characters in a string that is matched against a pattern. */
  searchedChars: 64 * 1024,
  /** Maximum number of characters in a rule's message, path or description. */
  textChars: 1000,
  /** Maximum number of values (objects, lists, scalars) in a subject. */
  subjectValues: 500_000,
  /** Maximum total number of characters in all strings and keys of a subject. */
  subjectChars: 16 * 1024 * 1024,
  /** Maximum nesting depth of a subject. */
  subjectDepth: 64,
  /**
   * Maximum number of steps that one rule may use per subject. Each visited element, each compared value and every 16 characters of text
   * count as one step.
   */
  ruleSteps: 1_000_000,
  /** Maximum number of findings per rule that are listed individually. One additional finding states how many more there are. */
  findingsPerRule: 100,
  /** Maximum number of characters that one placeholder can add to a message. */
  placeholderChars: 200,
} as const;
