/** Renders a cloud's least-privilege policies, which contain the permissions that an account's credentials need. */
export interface PermissionPolicy {
  /** Features whose permissions can be granted separately, such as `network`. */
  readonly features: readonly string[];
  /** Renders the smallest policy document that grants the permissions of the given features. Default: all features. */
  render(features?: readonly string[]): Readonly<Record<string, unknown>>;
  /** Returns advice if the document exceeds one of the cloud's limits. */
  findWarning(document: Readonly<Record<string, unknown>>): string | undefined;
}
