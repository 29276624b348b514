/** Limits for rules and subjects. A pure function has no clock, so its cost is limited by sizes and steps. */
export const policyLimits = {
  /** Characters of one rule file. */
  fileChars: 256 * 1024,
  /** Rules in all files together. */
  rules: 1000,
  /** Characters of one expression. */
  expressionChars: 2000,
  /** Nodes in the syntax tree of one expression, after macros are expanded. */
  expressionNodes: 500,
  /** Nesting depth of an expression, which is also the recursion depth of its evaluation. */
  expressionDepth: 64,
  /** Nesting depth of comprehensions (all, exists, map, filter). */
  loopDepth: 3,
  /** Characters of a pattern given to `matches` or `glob`. */
  patternChars: 200,
  /** Characters of a text that is matched against a pattern. */
  searchedChars: 64 * 1024,
  /** Characters of a rule's message, path or description. */
  textChars: 1000,
  /** Values (objects, lists, scalars) in a subject. */
  subjectValues: 500_000,
  /** Characters of all strings and keys of a subject. */
  subjectChars: 16 * 1024 * 1024,
  /** Nesting depth of a subject. */
  subjectDepth: 64,
  /** Steps of one rule for one subject: elements visited, values compared, and 16 characters of text each. */
  ruleSteps: 1_000_000,
  /** Findings of one rule that are listed separately. One more finding gives the number of the rest. */
  findingsPerRule: 100,
  /** Characters that one placeholder can add to a message. */
  placeholderChars: 200,
} as const;
