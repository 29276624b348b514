/** Something in an override that is refused: where, and what to do about it. */
export interface OverrideProblem {
  readonly path: string;
  readonly message: string;
}

/** What the stack that is overridden has. */
export interface AllowedInOverrides {
  /** The local names of its providers: `aws`, `google`. */
  readonly providers: readonly string[];
  /** Arguments, blocks and locals that are the platform's alone: `tags`, by which it knows its own again. */
  readonly reserved?: readonly string[];
}
