/** A rejected part of an override. The message says what to do. */
export interface OverrideProblem {
  readonly path: string;
  readonly message: string;
}

/** What an override of a specific stack may use. */
export interface AllowedInOverrides {
  /** Local names of the stack's providers. */
  readonly providers: readonly string[];
  /** Arguments, blocks and locals that only the platform may set, such as `tags`, which record ownership. */
  readonly reserved?: readonly string[];
}
