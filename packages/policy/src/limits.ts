/** What rules and subjects may cost. Time cannot bound a pure function, so size does: of what is written, of what comes in, of steps. */
export const policyLimits = {
  /** Characters of one file of rules. */
  fileChars: 256 * 1024,
  /** Rules in all files together. */
  rules: 1000,
  /** Characters of one expression. */
  expressionChars: 2000,
  /** Nodes of one expression's syntax tree, macros expanded. */
  expressionNodes: 500,
  /** How deep an expression may be nested; evaluation recurses as deep. */
  expressionDepth: 64,
  /** Comprehensions (all, exists, map, filter) inside each other. */
  loopDepth: 3,
  /** Characters of a pattern given to `matches` or `glob`. */
  patternChars: 200,
  /** Characters of a text that is searched by a pattern. */
  searchedChars: 64 * 1024,
  /** Characters of a message, a path or a description of a rule. */
  textChars: 1000,
  /** Values (objects, lists, scalars) in a subject. */
  subjectValues: 500_000,
  /** Characters of all texts and keys of a subject. */
  subjectChars: 16 * 1024 * 1024,
  /** How deep a subject may be nested. */
  subjectDepth: 64,
  /** Steps that one rule may take for one subject: elements looped over, values compared, texts by 16 characters. */
  ruleSteps: 1_000_000,
  /** Findings of one rule that are told apart; one more says how many were left out. */
  findingsPerRule: 100,
  /** Characters that one placeholder adds to a message. */
  placeholderChars: 200,
} as const;
