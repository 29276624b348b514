/** A rejected part of an override: where it is, and what to do. */
export interface OverrideProblem {
  readonly path: string;
  readonly message: string;
}

/** What the overridden stack contains. */
export interface AllowedInOverrides {
  /** The local names of its providers. */
  readonly providers: readonly string[];
  /** Arguments, blocks and locals that only the platform sets, such as `tags`, by which it recognises its own resources. */
  readonly reserved?: readonly string[];
}
