/** Least-privilege policies of a cloud: what an account's credentials must be allowed to do. */
export interface PermissionPolicy {
  /** Uses of an account that can be allowed separately, such as `network`. */
  readonly features: readonly string[];
  /** Renders the smallest policy document that allows the features; all of them if none is given. */
  render(features?: readonly string[]): Readonly<Record<string, unknown>>;
  /** Returns advice for a document that exceeds a limit of the cloud. */
  findWarning(document: Readonly<Record<string, unknown>>): string | undefined;
}
