/** A rejected part of an override. The message says what to do. */
export interface OverrideProblem {
  readonly path: string;
  readonly message: string;
}

/** The rules for overrides of a specific stack. */
export interface AllowedInOverrides {
  /** Local names of the stack's providers. */
  readonly providers: readonly string[];
  /** Arguments, blocks and locals that only the platform may set, such as `tags`, which record ownership. */
  readonly reserved?: readonly string[];
  /** Names that only the platform may set at any depth, because they determine a resource's location or record ownership inside blocks. */
  readonly reservedAnywhere?: readonly string[];
  /** Matches arguments and locals that name a cloud identity. Overrides must not set them. */
  readonly identities?: RegExp | undefined;
}
